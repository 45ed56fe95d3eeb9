module peer

go 1.23

require github.com/ory/hydra/v2 v2.3.0

replace github.com/gobuffalo/pop/v6 => github.com/ory/pop/v6 v6.2.1-0.20241121111754-e5dfc0f3344b
