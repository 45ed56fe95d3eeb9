//! Gets tokens with one library: one for each line that it reads. Writes {"ok": ..., "token": ...}.

use std::io::{BufRead, stdin};
use std::sync::Arc;

use oauth2::basic::BasicClient;
use oauth2::{ClientId, ClientSecret, HttpRequest, HttpResponse, Scope, TokenResponse, TokenUrl};
use rmcp::transport::auth::{
    ClientCredentialsConfig, OAuthHttpClient, OAuthHttpClientFuture, OAuthHttpRequest, OAuthState,
};
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

fn send(agent: &ureq::Agent, request: HttpRequest) -> Result<HttpResponse, ureq::Error> {
    let (parts, mut body) = agent.run(request)?.into_parts();
    Ok(HttpResponse::from_parts(parts, body.read_to_vec()?))
}

fn with_oauth2(agent: &ureq::Agent) -> Result<String, Error> {
    let client = BasicClient::new(ClientId::new(variable("CLIENT_ID")))
        .set_client_secret(ClientSecret::new(variable("CLIENT_SECRET")))
        .set_token_uri(TokenUrl::new(variable("TOKEN_URL"))?);
    let scope = Scope::new("messaging:view".to_string());
    let asked = client.exchange_client_credentials().add_scope(scope);
    let token = asked.request(&|request: HttpRequest| send(agent, request))?;
    Ok(token.access_token().secret().clone())
}

/// rmcp takes an authorization server on loopback only from a server that is there too.
const MCP_SERVER: &str = "https://localhost/";

/// Answers for the MCP server; the service is asked for everything else.
struct McpServer(ureq::Agent);

impl OAuthHttpClient for McpServer {
    fn execute(&self, sent: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move {
            let path = sent.request.uri().path();
            if !sent.request.uri().to_string().starts_with(MCP_SERVER) {
                return Ok(send(&self.0, sent.request)?);
            }
            let mut response = HttpResponse::new(Vec::new());
            if path.starts_with("/.well-known/oauth-protected-resource") {
                let metadata = json!({
                    "resource": MCP_SERVER,
                    "authorization_servers": [variable("ISSUER")],
                    "scopes_supported": ["messaging:view"],
                });
                *response.body_mut() = metadata.to_string().into_bytes();
            } else {
                *response.status_mut() = oauth2::http::StatusCode::UNAUTHORIZED;
            }
            Ok(response)
        })
    }
}

/// The resource is a `Url`, so it has a slash after the host.
async fn with_rmcp(agent: ureq::Agent) -> Result<String, Error> {
    let http = Arc::new(McpServer(agent));
    let mut state = OAuthState::new_with_oauth_http_client(MCP_SERVER, http).await?;
    let config = ClientCredentialsConfig::ClientSecret {
        client_id: variable("CLIENT_ID"),
        client_secret: variable("CLIENT_SECRET"),
        scopes: vec!["messaging:view".to_string()],
        resource: Some(format!("{}/", variable("AUDIENCE"))),
    };
    state.authenticate_client_credentials(config).await?;
    let manager = state.into_authorization_manager().ok_or("not authorized")?;
    Ok(manager.get_access_token().await?)
}

fn main() -> Result<(), Error> {
    let agent = make_agent()?;
    let is_rmcp = std::env::args().nth(1).as_deref() == Some("rmcp");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    for line in stdin().lock().lines() {
        line?;
        let token = match is_rmcp {
            true => runtime.block_on(with_rmcp(agent.clone())),
            false => with_oauth2(&agent),
        };
        println!("{}", match token {
            Ok(token) => json!({ "ok": true, "token": token }),
            Err(error) => json!({ "ok": false, "why": format!("{error:?}") }),
        });
    }
    Ok(())
}
