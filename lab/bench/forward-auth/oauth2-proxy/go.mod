module peer

go 1.23

require github.com/oauth2-proxy/oauth2-proxy/v7 v7.6.0
