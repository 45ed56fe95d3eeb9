//! Gets tokens with oauth2: one for each line that it reads. Writes {"ok": ..., "token": ...}.

use std::io::{BufRead, stdin};

use oauth2::basic::BasicClient;
use oauth2::{ClientId, ClientSecret, HttpRequest, HttpResponse, Scope, TokenResponse, TokenUrl};
use serde_json::json;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

type Error = Box<dyn std::error::Error>;

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

/// An HTTP client that trusts the service of this run, and follows no redirect.
fn make_agent() -> Result<ureq::Agent, Error> {
    let pem = std::fs::read(variable("SSL_CERT_FILE"))?;
    let roots = RootCerts::new_with_certs(&[Certificate::from_pem(&pem)?]);
    let tls = TlsConfig::builder().root_certs(roots).build();
    let config = ureq::Agent::config_builder()
        .tls_config(tls)
        .max_redirects(0)
        .http_status_as_error(false)
        .build();
    Ok(config.into())
}

fn main() -> Result<(), Error> {
    let agent = make_agent()?;
    let send = |request: HttpRequest| -> Result<HttpResponse, ureq::Error> {
        let (parts, mut body) = agent.run(request)?.into_parts();
        Ok(HttpResponse::from_parts(parts, body.read_to_vec()?))
    };
    let client = BasicClient::new(ClientId::new(variable("CLIENT_ID")))
        .set_client_secret(ClientSecret::new(variable("CLIENT_SECRET")))
        .set_token_uri(TokenUrl::new(variable("TOKEN_URL"))?);
    for line in stdin().lock().lines() {
        line?;
        let scope = Scope::new("messaging:view".to_string());
        let answer = client.exchange_client_credentials().add_scope(scope).request(&send);
        println!("{}", match answer {
            Ok(token) => json!({ "ok": true, "token": token.access_token().secret() }),
            Err(error) => json!({ "ok": false, "why": format!("{error:?}") }),
        });
    }
    Ok(())
}
