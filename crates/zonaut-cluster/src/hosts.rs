//! The file of hosts: the addresses of the processes of a search.

use std::net::{SocketAddr, ToSocketAddrs};

/// The addresses of the processes, in their order. Only the first one is connected to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hosts {
    /// `host:port` of each process, as written.
    pub names: Vec<String>,
}

impl Hosts {
    /// Reads a file of hosts: one `host:port` a line; empty lines and those that begin with `#` do
    /// not count.
    ///
    /// # Errors
    /// The number of a wrong line, and the reason.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut names = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let port = line.rsplit_once(':').filter(|(host, _)| !host.is_empty());
            let is_port = port.is_some_and(|(_, port)| port.parse::<u16>().is_ok_and(|it| it > 0));
            if !is_port || line.contains(char::is_whitespace) {
                return Err(format!("line {}: `{line}` is not of the form host:port", number + 1));
            }
            if names.iter().any(|name| name == line) {
                return Err(format!("line {}: `{line}` occurs twice", number + 1));
            }
            names.push(line.to_owned());
        }
        match names.len() {
            0 | 1 => Err("at least two hosts are needed".to_owned()),
            _ => Ok(Self { names }),
        }
    }

    /// The addresses of the first process.
    ///
    /// # Errors
    /// If its name is unknown.
    pub fn first(&self) -> Result<Vec<SocketAddr>, String> {
        let name = &self.names[0];
        match name.to_socket_addrs() {
            Ok(addresses) => Ok(addresses.collect()),
            Err(error) => Err(format!("the address of `{name}` is unknown: {error}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_lines_are_named() {
        let hosts = Hosts::parse("# two\nlocalhost:7000\n\n 127.0.0.1:7001 \n").expect("hosts");
        assert_eq!(hosts.names, ["localhost:7000", "127.0.0.1:7001"]);
        for (text, part) in [
            ("a:1\nb\n", "line 2"),
            ("a:1\nb:0\n", "line 2"),
            ("a:1\nb:70000", "line 2"),
            (":1\n", "line 1"),
            ("a:1\n\na:1\n", "line 3: `a:1` occurs twice"),
            ("a b:1\n", "line 1"),
            ("a:1\n", "two hosts"),
            ("", "two hosts"),
        ] {
            let refused = Hosts::parse(text).expect_err(text);
            assert!(refused.contains(part), "{text}: {refused}");
        }
    }
}
