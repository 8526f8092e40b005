//! The features of the server, and the answers to requests.

use crate::analysis::Analysis;
use crate::checks::{Asked, CANCEL, CHECK, DRAW, SHOW_TRACE};
use crate::completion::{completion, signature_help};
use crate::documents::Kind;
use crate::format::format;
use crate::names::{Place, definition, hover, references, renamable, rename};
use crate::outline::Outline;
use crate::semantic_tokens;
use crate::server::{Reply, RequestError, Server, parameters};
use crate::symbols::symbols;
use lsp_server::{ErrorCode, RequestId};
use lsp_types::{
    CodeLensParams, CompletionParams, DefinitionParams, DocumentFormattingParams,
    DocumentSymbolParams, ExecuteCommandParams, HoverParams, InlayHintParams, Position,
    ReferenceParams, RenameParams, SemanticTokens, SemanticTokensParams, SemanticTokensRangeParams,
    SignatureHelpParams, TextDocumentPositionParams, Uri,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::rc::Rc;
use zonaut_draw::draw_template;

/// The answer to `initialize`.
pub(crate) fn capabilities() -> Value {
    let tokens = semantic_tokens::legend();
    json!({
        "serverInfo": { "name": "zonaut", "version": env!("CARGO_PKG_VERSION") },
        "capabilities": {
            "positionEncoding": "utf-16",
            "textDocumentSync": { "openClose": true, "change": 2, "save": true },
            "hoverProvider": true,
            "definitionProvider": true,
            "referencesProvider": true,
            "renameProvider": { "prepareProvider": true },
            "completionProvider": { "triggerCharacters": ["."] },
            "documentSymbolProvider": true,
            "signatureHelpProvider": { "triggerCharacters": ["(", ","] },
            "documentFormattingProvider": true,
            "semanticTokensProvider": { "legend": tokens, "full": true, "range": true },
            "codeLensProvider": { "resolveProvider": false },
            "inlayHintProvider": true,
            "executeCommandProvider": { "commands": [CHECK, CANCEL, SHOW_TRACE, DRAW] },
        },
    })
}

/// The automaton at a position, for the client.
#[derive(Serialize)]
struct Drawing {
    name: String,
    svg: String,
}

#[derive(Deserialize)]
struct QueryArgument {
    uri: Uri,
    query: usize,
}

#[derive(Deserialize)]
struct PositionArgument {
    uri: Uri,
    position: Position,
}

fn place(params: TextDocumentPositionParams) -> Place {
    Place { uri: params.text_document.uri, position: params.position }
}

fn reply(value: impl Serialize) -> Result<Reply, RequestError> {
    let value = serde_json::to_value(value);
    value.map(Reply::Now).map_err(|error| RequestError::failed(error.to_string()))
}

/// The answer to a request of an initialised client.
pub(crate) fn answer(
    server: &mut Server<'_>,
    method: &str,
    params: Value,
    id: &RequestId,
) -> Result<Reply, RequestError> {
    match method {
        "textDocument/hover" => {
            let at = place(parameters::<HoverParams>(params)?.text_document_position_params);
            let analysis = server.documents.analysed(&at.uri);
            reply(analysis.and_then(|analysis| hover(&analysis, at.position)))
        }
        "textDocument/definition" => {
            let params = parameters::<DefinitionParams>(params)?;
            let at = place(params.text_document_position_params);
            let analysis = server.documents.analysed(&at.uri);
            reply(analysis.and_then(|analysis| definition(&analysis, at.position)))
        }
        "textDocument/references" => {
            let params = parameters::<ReferenceParams>(params)?;
            let at = place(params.text_document_position_params);
            let with_definition = params.context.include_declaration;
            reply(references(&mut server.documents, &at, with_definition))
        }
        "textDocument/prepareRename" => {
            let at = place(parameters::<TextDocumentPositionParams>(params)?);
            let analysis = server.documents.analysed(&at.uri);
            match analysis.map(|analysis| renamable(&analysis, at.position)) {
                Some(Ok(range)) => reply(range),
                Some(Err(reason)) => Err(RequestError::failed(reason)),
                None => reply(Value::Null),
            }
        }
        "textDocument/rename" => {
            let params = parameters::<RenameParams>(params)?;
            let at = place(params.text_document_position_params);
            reply(
                rename(&mut server.documents, &at, &params.new_name)
                    .map_err(RequestError::failed)?,
            )
        }
        "textDocument/completion" => {
            let at = place(parameters::<CompletionParams>(params)?.text_document_position_params);
            let (analysis, kind) = analysed(server, &at.uri);
            reply(analysis.map(|analysis| completion(&analysis, kind, at.position)))
        }
        "textDocument/signatureHelp" => {
            let params = parameters::<SignatureHelpParams>(params)?;
            let at = place(params.text_document_position_params);
            let analysis = server.documents.analysed(&at.uri);
            reply(analysis.and_then(|analysis| signature_help(&analysis, at.position)))
        }
        "textDocument/documentSymbol" => {
            let uri = parameters::<DocumentSymbolParams>(params)?.text_document.uri;
            reply(server.documents.analysed(&uri).map(|analysis| symbols(&analysis)))
        }
        "textDocument/formatting" => {
            let params = parameters::<DocumentFormattingParams>(params)?;
            let (analysis, kind) = analysed(server, &params.text_document.uri);
            reply(analysis.map(|analysis| {
                let dialect = analysis.loaded.document.dialect;
                format(&analysis.own_file().text, kind, dialect, &params.options)
            }))
        }
        "textDocument/semanticTokens/full" => {
            let uri = parameters::<SemanticTokensParams>(params)?.text_document.uri;
            let analysis = server.documents.analysed(&uri);
            reply(analysis.map(|analysis| SemanticTokens {
                result_id: None,
                data: semantic_tokens::tokens(&analysis, None),
            }))
        }
        "textDocument/semanticTokens/range" => {
            let params = parameters::<SemanticTokensRangeParams>(params)?;
            let analysis = server.documents.analysed(&params.text_document.uri);
            reply(analysis.map(|analysis| SemanticTokens {
                result_id: None,
                data: semantic_tokens::tokens(&analysis, Some(params.range)),
            }))
        }
        "textDocument/codeLens" => {
            let uri = parameters::<CodeLensParams>(params)?.text_document.uri;
            let analysis = server.documents.analysed(&uri);
            reply(analysis.map(|analysis| server.checks.lenses(&analysis, &uri)))
        }
        "textDocument/inlayHint" => {
            let params = parameters::<InlayHintParams>(params)?;
            let uri = params.text_document.uri;
            let analysis = server.documents.analysed(&uri);
            reply(analysis.map(|analysis| server.checks.inlays(&analysis, &uri, params.range)))
        }
        "workspace/executeCommand" => {
            execute(server, parameters::<ExecuteCommandParams>(params)?, id)
        }
        _ => Err(RequestError {
            code: ErrorCode::MethodNotFound,
            message: format!("the server has no method {method}"),
        }),
    }
}

/// The analysis of a document and its kind.
fn analysed(server: &mut Server<'_>, uri: &Uri) -> (Option<Rc<Analysis>>, Kind) {
    let kind = server.documents.get(uri).map_or(Kind::Other, |document| document.kind());
    (server.documents.analysed(uri), kind)
}

fn execute(
    server: &mut Server<'_>,
    params: ExecuteCommandParams,
    id: &RequestId,
) -> Result<Reply, RequestError> {
    let argument = params.arguments.into_iter().flatten().next().unwrap_or(Value::Null);
    let analysis = |server: &mut Server<'_>, uri: &Uri| {
        let analysis = server.documents.analysed(uri);
        analysis.ok_or_else(|| RequestError::failed("the document is not analysed"))
    };
    if params.command == DRAW {
        let at = parameters::<PositionArgument>(argument)?;
        let analysis = analysis(server, &at.uri)?;
        return reply(drawing(&analysis, at.position));
    }
    let QueryArgument { uri, query: ordinal } = parameters(argument)?;
    let analysis = analysis(server, &uri)?;
    let asked = Asked { uri, ordinal };
    match params.command.as_str() {
        CHECK => {
            let folder = analysis.settings.clone().map_err(RequestError::failed)?;
            let options = server.options(&folder);
            let started = server.checks.start(&analysis, &asked, &options, id.clone());
            started.map(|()| Reply::Later).map_err(RequestError::failed)
        }
        CANCEL => reply(server.checks.cancel(&analysis, &asked)),
        SHOW_TRACE => reply(server.checks.trace(&analysis, &asked)),
        command => Err(RequestError {
            code: ErrorCode::InvalidParams,
            message: format!("the server has no command {command}"),
        }),
    }
}

/// The automaton around a position; outside of all templates, the one that the name there denotes,
/// or the first one.
fn drawing(analysis: &Analysis, position: Position) -> Option<Drawing> {
    let place = analysis.place(analysis.own_file().text.offset(position));
    let outline = Outline::of(analysis);
    let named = || {
        let (_, definition) = analysis.loaded.names.at(place)?;
        outline.template_of(definition.span).or_else(|| outline.template_around(definition.span))
    };
    let document = &*analysis.loaded.document;
    let template =
        outline.template_around(place).or_else(named).or_else(|| document.templates.first())?;
    let svg = draw_template(document, template).standalone();
    Some(Drawing { name: template.name.text.to_string(), svg })
}
