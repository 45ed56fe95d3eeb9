//! Verifies tokens with jsonwebtoken. Reads {"token": ..., "jwks": ...} lines; writes {"ok": ..., "why": ...}.

use std::io::{BufRead, stdin};

use jsonwebtoken::jwk::JwkSet;
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use serde_json::{Value, json};

type Error = Box<dyn std::error::Error>;

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

fn verify(algorithm: Algorithm, request: &Value) -> Result<(), Error> {
    let token = request["token"].as_str().ok_or("no token")?;
    let keys: JwkSet = serde_json::from_str(request["jwks"].as_str().ok_or("no JWKS")?)?;
    let header = decode_header(token)?;
    if header.typ.as_deref() != Some("at+jwt") {
        return Err("typ".into());
    }
    let key = keys.find(&header.kid.ok_or("no kid")?).ok_or("unknown kid")?;
    let mut validation = Validation::new(algorithm);
    validation.set_issuer(&[variable("ISSUER")]);
    validation.set_audience(&[variable("AUDIENCE")]);
    validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
    decode::<Value>(token, &DecodingKey::from_jwk(key)?, &validation)?;
    Ok(())
}

fn main() -> Result<(), Error> {
    let algorithm = std::env::args().nth(2).unwrap_or_default().parse::<Algorithm>();
    for line in stdin().lock().lines() {
        let request = serde_json::from_str(&line?)?;
        let outcome = match &algorithm {
            Ok(known) => verify(*known, &request),
            Err(error) => Err(error.clone().into()),
        };
        println!("{}", match outcome {
            Ok(()) => json!({ "ok": true }),
            Err(error) => json!({ "ok": false, "why": error.to_string() }),
        });
    }
    Ok(())
}
