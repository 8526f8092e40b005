//! Authorisation of requests: only pages of this server that know the secret token.

use crate::request::Request;
use std::io;

/// The header with the secret.
pub(crate) const TOKEN: &str = "x-zonaut-token";

/// The check that a request comes from the page of this server.
pub(crate) struct Guard {
    port: u16,
    token: String,
}

/// The reason why a request is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    pub(crate) why: &'static str,
}

fn forbidden(why: &'static str) -> Result<(), Refusal> {
    Err(Refusal { status: 403, why })
}

impl Guard {
    /// A guard with a token of 128 random bits.
    pub(crate) fn new(port: u16) -> io::Result<Self> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
        let token = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self { port, token })
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/#{}", self.port, self.token)
    }

    /// Refuses requests that do not come from the page of this server.
    pub(crate) fn admit(&self, request: &Request) -> Result<(), Refusal> {
        // A foreign name that resolves to this machine is an attack by DNS rebinding.
        let hosts = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{}", self.port));
        if !request.header("host").is_some_and(|host| hosts.iter().any(|it| it == host)) {
            return forbidden("the host is not allowed");
        }
        if let Some(origin) = request.header("origin")
            && !hosts.iter().any(|host| origin == format!("http://{host}"))
        {
            return forbidden("the request comes from another origin");
        }
        if let Some(site) = request.header("sec-fetch-site")
            && !["same-origin", "none"].contains(&site)
        {
            return forbidden("the request comes from another site");
        }
        // The page itself contains no data of the model, so that it needs no token.
        if request.method == "GET" {
            return Ok(());
        }
        if !request.header(TOKEN).is_some_and(|token| is_same(token, &self.token)) {
            return forbidden("the token is missing or wrong");
        }
        // Forms of other pages cannot send this type.
        if request.header("content-type") != Some("application/json") {
            return forbidden("the content is not JSON");
        }
        Ok(())
    }
}

/// Whether two texts are equal, in time independent of the position of a difference.
fn is_same(left: &str, right: &str) -> bool {
    let differences = left.bytes().zip(right.bytes()).fold(0, |all, (a, b)| all | (a ^ b));
    left.len() == right.len() && differences == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_long_and_differ() {
        let [first, second] = [1, 2].map(|_| Guard::new(9).expect("randomness").token);
        assert_eq!((first.len(), first == second), (32, false));
        assert!(is_same(&first, &first.clone()) && !is_same(&first, &first[1..]));
        assert!(!is_same(&first, &second) && !is_same("", &first));
    }
}
