const MARKS = { satisfied: ["\u2713", "good"], not_satisfied: ["\u2717", "bad"], error: ["!", "open"], running: ["\u2026", "open"] };
/** Queries that were added or edited here, verdicts by text, and the history of all answers. */
let added = [];
let removed = [];
let answers = new Map();
let pastAnswers = [];
let edited = null;

const restoreQueries = (saved) => {
  added = saved.added || [];
  removed = saved.removed || [];
  answers = new Map(saved.answers || []);
  pastAnswers = saved.history || [];
};
const savedQueries = () => ({
  added, removed, history: pastAnswers,
  answers: [...answers].filter(([, answer]) => answer.verdict !== "running"),
});
const forgetAnswers = () => {
  answers = new Map();
};

/** The queries of the file that were not removed, then those that were added. */
const allQueries = () => {
  const own = model.queries.filter(({ text }) => !removed.includes(text));
  const others = added.filter((text) => !own.some((query) => query.text === text));
  return [...own, ...others.map((text) => ({ text, comment: "" }))];
};

const addQuery = (text) => {
  if (edited !== null && edited !== text) {
    added = added.map((other) => (other === edited ? text : other));
    if (model.queries.some((query) => query.text === edited)) removed.push(edited);
  }
  edited = null;
  removed = removed.filter((other) => other !== text);
  if (!allQueries().some((query) => query.text === text)) added.push(text);
  showQueries();
  remember();
};

const icon = (sign, label, action) => {
  const element = button(sign, action, "icon");
  element.setAttribute("aria-label", label);
  element.title = label;
  return element;
};

const showQueries = () => {
  byId("queries").replaceChildren(...allQueries().map(({ text, comment }) => {
    const answer = answers.get(text);
    const [sign, tone] = answer ? MARKS[answer.verdict] || ["?", "open"] : ["\u25cb", ""];
    const item = button(undefined, () => ask(text));
    item.append(make("span", sign, "mark " + tone), text);
    if (comment) item.append(make("small", comment));
    if (answer) item.append(make("small", answer.note));
    item.title = "Verify this query";
    const row = make("li", undefined, "query-row");
    row.append(item, icon("\u270e", "Edit this query: " + text, () => {
      edited = text;
      byId("query").value = text;
      byId("query").focus();
    }), icon("\u2715", "Remove this query: " + text, () => {
      added = added.filter((other) => other !== text);
      if (model.queries.some((query) => query.text === text)) removed.push(text);
      showQueries();
      remember();
    }));
    return row;
  }));
  const count = allQueries().length;
  byId("ask-title").textContent = count > 0 ? `Queries (${count})` : "Queries";
  byId("history-title").parentElement.hidden = pastAnswers.length === 0;
  byId("history-title").textContent = `History (${pastAnswers.length})`;
  byId("history").replaceChildren(...pastAnswers.map(({ text, note, time }) => {
    const item = make("li", `${time} ${text}: `);
    item.append(make("span", note));
    return item;
  }));
};

byId("add-query").addEventListener("click", () => {
  const text = byId("query").value.trim();
  if (text !== "") addQuery(text);
});
byId("save-queries").addEventListener("click", () => {
  const texts = allQueries().map(({ text, comment }) => (comment ? `/*\n${comment.replaceAll("*/", "* /")}\n*/\n` : "") + text + "\n");
  download(new Blob([texts.join("\n")], { type: "text/plain" }), model.name.replace(/\.[^.]*$/, "") + ".q");
});

/** A duration in the unit that needs the fewest digits. */
const duration = (seconds) => {
  if (seconds < 0.0005) return "<1 ms";
  return seconds < 0.9995 ? `${(seconds * 1000).toFixed(0)} ms` : `${seconds.toFixed(1)} s`;
};

/** The parts of a formula that a run decides, as in "P.a and P.b hold". */
const decided = (parts) => [["holds: ", "holds", "hold"], ["fails: ", "fails", "fail"]].flatMap(([prefix, singular, plural]) => {
  const named = parts.filter((part) => part.startsWith(prefix)).map((part) => part.slice(prefix.length));
  return named.length > 0 ? [`${named.join(" and ")} ${named.length === 1 ? singular : plural}`] : [];
}).join(" and ");

let search = null;
const showLine = (query, line) => {
  if (line.progress) {
    const { explored, stored, waiting, seconds } = line.progress;
    byId("answer").textContent = `searching: ${explored} states explored, ${stored} stored, ${waiting} waiting, ${duration(seconds)}`;
  } else if (line.wrong !== undefined) {
    answers.set(query, { verdict: "error", note: line.wrong });
    byId("answer").replaceChildren(make("span", "error: " + line.wrong, "bad"));
    showQueries();
  } else if (line.answer) {
    const { verdict, reason, explored, stored, seconds, strategy, values, transitions, path: found, delays: stays, titles: names, parts, uncertified } = line.answer;
    const isDecided = verdict === "satisfied" || verdict === "not_satisfied";
    const listing = values.length > 0 ? `: ${values.join("; ")}` : "";
    const [sign, tone] = MARKS[verdict] || ["?", "open"];
    const word = make("strong", `${sign} ${verdict.replaceAll("_", " ")}${listing}`, tone);
    const length = transitions === null ? "" : ` after ${transitions} transition${transitions === 1 ? "" : "s"}`;
    const why = parts.length > 0 ? `${length}: ${decided(parts)}` : length;
    const notes = make("span", `${explored} state${explored === 1 ? "" : "s"} explored, ${stored} stored, ${duration(seconds)}, strategy ${strategy}`, "hint notes");
    const chip = uncertified ? make("span", `uncertified: ${uncertified}`, "hint notes") : make("span", "certified", "certified");
    byId("answer").replaceChildren(word, `${reason ? `: ${reason}` : why} `, ...(isDecided ? [chip] : []), notes);
    const certified = isDecided && !uncertified ? ", certified" : "";
    const note = `${verdict.replaceAll("_", " ")}${certified}${listing}, ${duration(seconds)}`;
    answers.set(query, { verdict, note });
    pastAnswers = [{ text: query, note, time: new Date().toTimeString().slice(0, 8) }, ...pastAnswers].slice(0, 50);
    showQueries();
    remember();
    if (found) {
      knowTitles(found, names);
      const item = button(`Show its trace (${found.length} ${found.length === 1 ? "step" : "steps"})`, async () => {
        if (!same([...path, ...ahead], found)) keep("before the trace of a query");
        path = [];
        ahead = found;
        delays = staysOf(stays, found);
        broken = null;
        await refresh();
        document.querySelector("[aria-labelledby=run-title]").scrollIntoView({ block: "nearest" });
      });
      item.id = "show-trace";
      byId("answer").append(item);
      if (path.length + ahead.length === 0) item.click();
    }
  }
  return undefined;
};

const ask = async (query) => {
  if (search || query.trim() === "") return;
  search = new AbortController();
  const old = answers.get(query);
  answers.set(query, { verdict: "running", note: "running" });
  showQueries();
  follow(byId("queries"), byId("queries").children[allQueries().findIndex(({ text }) => text === query)]);
  byId("send").disabled = true;
  byId("cancel").disabled = false;
  byId("answer").textContent = "searching";
  try {
    const response = await post("/api/ask", { query }, search.signal);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      for (const line of lines) showLine(query, JSON.parse(line));
    }
  } catch (error) {
    byId("answer").replaceChildren(error.name === "AbortError" ? "cancelled" : make("span", "error: " + error.message, "bad"));
  }
  if (answers.get(query)?.verdict === "running") {
    if (old) answers.set(query, old);
    else answers.delete(query);
    showQueries();
  }
  search = null;
  byId("send").disabled = false;
  byId("cancel").disabled = true;
};
byId("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = byId("query").value.trim();
  if (text === "" || search) return undefined;
  addQuery(text);
  return ask(text);
});
byId("cancel").addEventListener("click", () => search && search.abort());
