"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const token = location.hash.slice(1);

  /** Makes an element with a text and a class. */
  const make = (name, text, kind) => {
    const element = document.createElement(name);
    if (text !== undefined) element.textContent = text;
    if (kind) element.className = kind;
    return element;
  };

  const complain = (text) => {
    byId("problem").textContent = text;
    byId("problem").hidden = text === "";
  };

  const post = async (path, body, signal) => {
    const headers = { "Content-Type": "application/json", "X-Zonaut-Token": token };
    const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body), signal });
    if (!response.ok) throw new Error((await response.text()).trim());
    return response;
  };

  /** A drawing that the server made; every text in it is escaped there. */
  const drawing = (text) => {
    const parsed = new DOMParser().parseFromString(text, "text/html");
    return document.importNode(parsed.querySelector("svg"), true);
  };

  let model = null;
  let state = null;
  let figures = [];
  /** The path to the current state, the steps ahead of it, and the delays in its states. */
  let path = [];
  let ahead = [];
  let delays = [];
  let clocks = null;

  const showModel = () => {
    byId("name").textContent = model.name;
    document.title = `${model.name} - Zonaut explorer`;
    byId("queries").replaceChildren(...model.queries.map((query) => {
      const option = make("option");
      option.value = query;
      return option;
    }));
    if (model.queries.length > 0) byId("query").value = model.queries[0];
    figures = model.processes.map((process) => {
      const template = model.templates[process.template];
      if (!template) return null;
      const figure = make("figure");
      const here = make("span");
      const caption = make("figcaption", process.name + " ");
      caption.append(here);
      const box = make("div", undefined, "scroll");
      box.tabIndex = 0;
      box.setAttribute("role", "region");
      box.setAttribute("aria-label", "automaton of " + process.name);
      const svg = drawing(template.picture);
      svg.setAttribute("aria-label", "automaton of " + process.name);
      box.append(svg);
      figure.append(caption, box);
      const groups = (kind) => {
        const found = new Map();
        for (const group of svg.querySelectorAll(`[data-${kind}]`)) found.set(Number(group.getAttribute("data-" + kind)), group);
        return found;
      };
      return { figure, box, here, locations: groups("l"), edges: groups("e") };
    });
    byId("automata").replaceChildren(...figures.filter((it) => it).map((it) => it.figure));
  };

  let marked = [];
  const mark = (element, name) => {
    if (!element) return;
    element.classList.add(name);
    marked.push([element, name]);
  };

  /** Scrolls a wide box horizontally, and nothing else, until a part is visible. */
  const follow = (box, part) => {
    if (!part || box.scrollWidth <= box.clientWidth) return;
    const [inner, outer] = [part.getBoundingClientRect(), box.getBoundingClientRect()];
    const right = Math.min(inner.right, inner.left + outer.width / 2);
    if (inner.left < outer.left || right > outer.right) box.scrollLeft += inner.left - outer.left - outer.width / 3;
  };

  const showMarks = () => {
    for (const [element, name] of marked) element.classList.remove(name);
    marked = [];
    figures.forEach((it, process) => {
      if (!it) return;
      const location = state.locations[process];
      mark(it.locations.get(location), "here");
      it.here.textContent = "in " + (model.processes[process].locations[location] || "an unnamed location");
      follow(it.box, it.locations.get(location));
    });
    for (const edge of state.taken) {
      const figure = figures[edge.process];
      for (const part of edge.parts) mark(figure && figure.edges.get(part), "taken");
    }
  };

  const showChoices = () => {
    const items = state.choices.map((choice, number) => {
      const button = make("button");
      button.type = "button";
      for (const edge of choice.edges) button.append(make("span", edge.text));
      if (choice.edges.length === 0) button.append(make("span", "evaluation of the enabled transitions"));
      if (choice.failure) button.append(make("span", "fails: " + choice.failure, "why"));
      button.disabled = choice.failure !== null;
      button.addEventListener("click", () => take(number));
      const item = make("li");
      item.append(button);
      return item;
    });
    if (items.length === 0) items.push(make("li", "none"));
    byId("choices").replaceChildren(...items);
    const obstacles = state.obstacles.map(({ edges, why }) => {
      const item = make("li");
      item.append(make("span", edges.join(" | ") + ": "), make("span", why, "why"));
      return item;
    });
    byId("blocked-title").textContent = `Disabled transitions (${obstacles.length})`;
    byId("obstacles").replaceChildren(...obstacles);
  };

  const showValues = () => {
    byId("zone").textContent = state.zone === "" ? "" : "zone: " + state.zone;
    const values = [...state.variables, ...(state.run ? state.run.clocks : [])];
    byId("values").replaceChildren(...values.map(([name, value]) => {
      const row = make("tr");
      row.append(make("td", name), make("td", String(value)));
      return row;
    }));
  };

  /** Keeps the names above the lanes of the sequence chart visible. */
  const keepNames = () => {
    const [box, names] = [byId("sequence"), document.querySelector("#sequence .heads")];
    if (names) names.setAttribute("transform", `translate(0 ${box.scrollTop})`);
  };
  byId("sequence").addEventListener("scroll", keepNames);

  const showRun = () => {
    const run = state.run;
    complain(run ? "" : "no run has the chosen delays; the transitions are enabled with other delays");
    const steps = [["initial state"], ...state.steps];
    byId("run").replaceChildren(...steps.map((edges, position) => {
      const item = make("li");
      const when = run ? `at ${run.dates[position]}` : "";
      item.append(make("span", when, "hint"), ...edges.map((text) => make("span", text, "mono")));
      return item;
    }));
    byId("sequence").replaceChildren(...(run && run.sequence ? [drawing(run.sequence)] : []));
    keepNames();
    const end = run ? `, at time ${run.dates[path.length]}` : "";
    byId("where").textContent = path.length === 0 ? "in the initial state" : `after ${path.length} transition${path.length === 1 ? "" : "s"}${end}`;
    byId("back").disabled = byId("restart").disabled = path.length === 0;
    byId("forward").disabled = ahead.length === 0;
    byId("save-trace").disabled = byId("save-report").disabled = !run;
    const stay = delays[path.length];
    byId("delay").value = stay === undefined || stay === null ? "" : String(stay);
  };

  const showZone = () => {
    byId("zone-section").hidden = state.clocks.length < 2;
    if (state.clocks.length < 2) return;
    const chosen = clocks && clocks.every((clock) => state.clocks.includes(clock)) ? clocks : state.clocks.slice(0, 2);
    ["right", "up"].forEach((id, position) => {
      byId(id).replaceChildren(...state.clocks.map((clock) => make("option", clock)));
      byId(id).value = chosen[position];
    });
    byId("picture").replaceChildren(...(state.picture ? [drawing(state.picture)] : []));
  };

  let graph = null;
  let chosen = null;
  const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

  /** Marks the states of the graph that the current state may belong to. */
  const markGraph = () => {
    if (!graph) return;
    graph.nodes.forEach((node, number) => {
      const isHere = same(node.locations, state.locations) && same(node.variables, state.variables);
      graph.boxes.get(number).classList.toggle("here", isHere);
    });
  };

  const choose = (number) => {
    if (chosen !== null) graph.boxes.get(chosen).classList.remove("chosen");
    chosen = number;
    graph.boxes.get(number).classList.add("chosen");
    byId("chosen").textContent = `${number}: ${graph.nodes[number].text}`;
    byId("go").disabled = false;
  };

  byId("draw-graph").addEventListener("click", async () => {
    byId("graph-about").textContent = "exploring";
    try {
      const { picture, nodes, about } = await (await post("/api/graph", {})).json();
      const svg = drawing(picture);
      const boxes = new Map();
      for (const box of svg.querySelectorAll("[data-n]")) {
        const number = Number(box.getAttribute("data-n"));
        boxes.set(number, box);
        box.setAttribute("tabindex", "0");
        box.setAttribute("role", "button");
        box.addEventListener("click", () => choose(number));
        box.addEventListener("keydown", (event) => event.key === "Enter" && choose(number));
      }
      // Its boxes are buttons, which the role of an image would hide.
      svg.setAttribute("role", "group");
      graph = { nodes, boxes };
      chosen = null;
      byId("graph").replaceChildren(svg);
      byId("graph").hidden = byId("graph-hint").hidden = false;
      byId("graph-about").textContent = about;
      // The initial state is in the middle of the left side.
      byId("graph").scrollTop = (svg.clientHeight - byId("graph").clientHeight) / 2;
      if (state) markGraph();
    } catch (error) {
      byId("graph-about").textContent = "error: " + error.message;
    }
  });
  byId("go").addEventListener("click", async () => {
    try {
      const found = await (await post("/api/path", { node: chosen })).json();
      path = found.path;
      ahead = [];
      delays = [];
      await refresh();
    } catch (error) {
      complain(error.message);
    }
  });

  /** Asks for the current state and shows it. */
  const refresh = async () => {
    try {
      const response = await post("/api/state", { path, delays, clocks });
      state = await response.json();
      showMarks();
      showChoices();
      showValues();
      showRun();
      showZone();
      markGraph();
    } catch (error) {
      complain(error.message);
    }
  };

  const take = (number) => {
    ahead = [];
    delays = delays.slice(0, path.length + 1);
    while (delays.length < path.length + 1) delays.push(null);
    path.push(number);
    return refresh();
  };

  const back = () => {
    if (path.length === 0) return undefined;
    ahead.unshift(path.pop());
    return refresh();
  };

  const forward = () => {
    if (ahead.length === 0) return undefined;
    path.push(ahead.shift());
    return refresh();
  };

  byId("back").addEventListener("click", back);
  byId("forward").addEventListener("click", forward);
  byId("restart").addEventListener("click", () => {
    ahead = [...path, ...ahead];
    path = [];
    return refresh();
  });
  byId("delay").addEventListener("change", () => {
    const text = byId("delay").value.trim();
    while (delays.length <= path.length) delays.push(null);
    delays[path.length] = text === "" ? null : Math.max(0, Math.trunc(Number(text)) || 0);
    return refresh();
  });
  for (const id of ["right", "up"]) {
    byId(id).addEventListener("change", () => {
      clocks = [byId("right").value, byId("up").value];
      return refresh();
    });
  }

  const save = async (kind, name) => {
    try {
      const response = await post("/api/save", { path, delays, kind });
      const link = make("a");
      link.href = URL.createObjectURL(await response.blob());
      link.download = name;
      link.click();
      URL.revokeObjectURL(link.href);
    } catch (error) {
      complain(error.message);
    }
  };
  byId("save-trace").addEventListener("click", () => save("trace", "run.json"));
  byId("save-report").addEventListener("click", () => save("report", "run.html"));

  let search = null;
  const showLine = (line) => {
    if (line.progress) {
      const { explored, stored, seconds } = line.progress;
      byId("answer").textContent = `searching: ${explored} explored, ${stored} stored, ${seconds.toFixed(1)} s`;
    } else if (line.wrong !== undefined) {
      byId("answer").textContent = "error: " + line.wrong;
    } else if (line.answer) {
      const { verdict, reason, explored, stored, seconds, strategy, values, transitions, path: found, delays: stays } = line.answer;
      const notes = [`${explored} explored`, `${stored} stored`, `${seconds.toFixed(3)} s`, strategy];
      if (transitions !== null) notes.unshift(`${transitions} transition${transitions === 1 ? "" : "s"}`);
      if (reason) notes.unshift(reason);
      const listed = values.length > 0 ? `: ${values.join("; ")}` : "";
      byId("answer").textContent = `${verdict.replaceAll("_", " ")}${listed} (${notes.join(", ")})`;
      if (found) {
        path = [];
        ahead = found;
        delays = stays;
        byId("answer").append(" Forward steps through its trace.");
        return refresh();
      }
    }
    return undefined;
  };

  byId("ask").addEventListener("submit", async (event) => {
    event.preventDefault();
    if (search) return;
    search = new AbortController();
    byId("send").disabled = true;
    byId("cancel").disabled = false;
    byId("answer").textContent = "searching";
    try {
      const response = await post("/api/ask", { query: byId("query").value }, search.signal);
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        const lines = (rest + value).split("\n");
        rest = lines.pop();
        for (const line of lines) await showLine(JSON.parse(line));
      }
    } catch (error) {
      byId("answer").textContent = error.name === "AbortError" ? "cancelled" : "error: " + error.message;
    }
    search = null;
    byId("send").disabled = false;
    byId("cancel").disabled = true;
  });
  byId("cancel").addEventListener("click", () => search && search.abort());

  const begin = async () => {
    try {
      model = await (await post("/api/model", {})).json();
    } catch (error) {
      complain(error.message);
      return;
    }
    showModel();
    if (model.refused) {
      complain(model.refused);
      return;
    }
    await refresh();
  };
  begin();
})();
