//! The page: a shell without data of the model, which its script requests.

use crate::response::Response;
use zonaut_report::{PAGE_STYLE, source_digest};

/// The parts of the script, which share one scope.
const SCRIPT: [&str; 4] = [
    include_str!("page.js"),
    include_str!("queries.js"),
    include_str!("traces.js"),
    include_str!("edit.js"),
];
const BODY: &str = include_str!("page.html");
const OWN_STYLE: &str = include_str!("page.css");

pub(crate) fn page() -> Response {
    let style = format!("\n{}{PAGE_STYLE}{OWN_STYLE}", zonaut_draw::STYLE);
    let script = format!("\n\"use strict\";\n(() => {{\n{}begin();\n}})();\n", SCRIPT.concat());
    let policy = format!(
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
         connect-src 'self'; img-src data:; style-src {}; script-src {}",
        source_digest(&style),
        source_digest(&script),
    );
    let html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Zonaut explorer</title>\n<link rel=\"icon\" href=\"data:,\">\n\
         <style>{style}</style>\n</head>\n<body>\n{BODY}<script>{script}</script>\n</body>\n</html>\n"
    );
    Response::page(html, policy)
}
