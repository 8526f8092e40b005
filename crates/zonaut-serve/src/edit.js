/** Whether clicks edit labels and drag locations, instead of firing transitions. */
let isEditing = false;
/** Moves of locations that are not saved yet, by template and location. */
const moves = new Map();

const setEditing = (isOn) => {
  isEditing = isOn;
  byId("edit-mode").setAttribute("aria-pressed", String(isOn));
  byId("automata").classList.toggle("editing", isOn);
  byId("edit-hint").hidden = !isOn;
  byId("fire-hint").hidden = isOn;
  hidePick();
  if (state) showMarks();
};
byId("edit-mode").addEventListener("click", () => setEditing(!isEditing));

const listOfMoves = (template) =>
  [...moves].map(([key, by]) => ({ template: Number(key.split(":")[0]), location: Number(key.split(":")[1]), x: Math.round(by.x), y: Math.round(by.y) }))
    .filter((it) => template === undefined || it.template === template);
const showMoves = () => {
  byId("save-positions").hidden = moves.size === 0;
  byId("save-positions").textContent = `Save positions (${moves.size})`;
};

/** Draws a template again with the moved locations. */
const redraw = async (template) => {
  const response = await post("/api/drawing", { template, moves: listOfMoves(template) });
  model.templates[template].picture = await response.text();
  showFigures();
  showMarks();
};

const moveBy = (figure, location, x, y) => {
  const key = `${figure.template}:${location}`;
  const before = moves.get(key) || { x: 0, y: 0 };
  moves.set(key, { x: before.x + x, y: before.y + y });
  showMoves();
  return redraw(figure.template).catch((error) => complain(error.message));
};

/** Lets a location be dragged, moved by arrow keys and edited while the editing mode is on. */
const makeMovable = (figure, location, group) => {
  group.addEventListener("pointerdown", (event) => {
    if (!isEditing || event.button !== 0) return;
    event.preventDefault();
    const scale = figure.svg.viewBox.baseVal.width / figure.svg.getBoundingClientRect().width;
    const at = (to) => [(to.clientX - event.clientX) * scale, (to.clientY - event.clientY) * scale];
    const follow = (to) => group.setAttribute("transform", `translate(${at(to).join(" ")})`);
    group.setPointerCapture(event.pointerId);
    group.addEventListener("pointermove", follow);
    group.addEventListener("pointerup", (to) => {
      group.removeEventListener("pointermove", follow);
      const [x, y] = at(to);
      if (Math.hypot(x, y) < 4) editLocation(figure, location);
      else moveBy(figure, location, x, y);
    }, { once: true });
  });
  group.addEventListener("keydown", (event) => {
    if (!isEditing) return;
    const step = { ArrowLeft: [-10, 0], ArrowRight: [10, 0], ArrowUp: [0, -10], ArrowDown: [0, 10] }[event.key];
    if (!step && event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation();
    if (step) {
      moveBy(figure, location, ...step).then(() => {
        const again = figures.find((it) => it && it.template === figure.template);
        if (again) again.locations.get(location).focus();
      });
    } else editLocation(figure, location);
  });
};

/** Sends a change of the file; asks before it replaces a file that has changed meanwhile. */
const saveChange = async (change, overwrites) => {
  try {
    await post("/api/edit", { change, overwrites });
    byId("changed").hidden = true;
    return true;
  } catch (error) {
    if (error.message.startsWith("the file has changed meanwhile")) {
      byId("changed").hidden = false;
      byId("overwrite").onclick = async () => {
        if (await saveChange(change, true)) await closeEditors();
      };
      return false;
    }
    throw error;
  }
};
const closeEditors = async () => {
  if (byId("labels").open) byId("labels").close();
  showEditor(false);
  moves.clear();
  showMoves();
  await watchNow();
  if (state) await refresh();
};
byId("keep-file").addEventListener("click", () => {
  byId("changed").hidden = true;
});

byId("save-positions").addEventListener("click", async () => {
  try {
    if (await saveChange({ positions: listOfMoves() }, false)) await closeEditors();
  } catch (error) {
    complain(error.message);
  }
});

const TITLES = { select: "Select", guard: "Guard", synchronisation: "Synchronisation", assignment: "Update", invariant: "Invariant" };
let editedElement = null;
const openLabels = async (element, title) => {
  try {
    const { labels } = await (await post("/api/labels", element)).json();
    editedElement = element;
    byId("labels-title").textContent = title;
    byId("labels-problem").textContent = "";
    byId("label-fields").replaceChildren(...labels.map(([kind, text]) => {
      const label = make("label", TITLES[kind] + " ");
      const field = make("input");
      field.name = kind;
      field.value = text;
      field.spellcheck = false;
      label.append(field);
      return label;
    }));
    byId("labels").showModal();
  } catch (error) {
    complain(error.message);
  }
};
const editEdge = (figure, part) => openLabels({ template: figure.template, edge: part }, "Labels of an edge of " + model.templates[figure.template].name);
const editLocation = (figure, location) => {
  const owner = model.processes.find((process) => process.template === figure.template);
  const name = owner ? owner.locations[location] : "a location";
  return openLabels({ template: figure.template, location }, `Labels of ${name} in ${model.templates[figure.template].name}`);
};
byId("labels-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const fields = [...byId("label-fields").querySelectorAll("input")].map((field) => [field.name, field.value]);
  const { template, edge, location } = editedElement;
  const change = edge === undefined ? { location: { template, location, invariant: fields[0][1] } } : { edge: { template, edge, labels: fields } };
  try {
    if (await saveChange(change, false)) await closeEditors();
    else byId("labels").close();
  } catch (error) {
    byId("labels-problem").textContent = error.message;
  }
});
byId("labels-cancel").addEventListener("click", () => byId("labels").close());

/** The source: the whole file, or a part of an XML file. */
let sourceParts = [];
const showEditor = (isOn) => {
  byId("source").hidden = isOn;
  byId("source-text").hidden = !isOn;
  byId("source-edit").hidden = isOn;
  for (const id of ["source-save", "source-cancel"]) byId(id).hidden = !isOn;
  byId("source-part").parentElement.hidden = !isOn || sourceParts.length < 2;
  byId("source-problem").textContent = "";
};
const showPart = () => {
  byId("source-text").value = sourceParts[Number(byId("source-part").value)].text;
};
byId("source-part").addEventListener("change", showPart);
byId("source-edit").addEventListener("click", async () => {
  try {
    const { text, parts, fixed } = await (await post("/api/source", {})).json();
    if (fixed) {
      complain(fixed);
      return;
    }
    sourceParts = [...parts, { name: "Whole file", text }];
    byId("source-part").replaceChildren(...sourceParts.map((part, number) => {
      const option = make("option", part.name);
      option.value = String(number);
      return option;
    }));
    showEditor(true);
    showPart();
    byId("source-text").focus();
  } catch (error) {
    complain(error.message);
  }
});
byId("source-cancel").addEventListener("click", () => showEditor(false));
byId("source-save").addEventListener("click", async () => {
  const [index, text] = [Number(byId("source-part").value), byId("source-text").value];
  const change = index === sourceParts.length - 1 ? { source: text } : { part: { index, text } };
  try {
    if (await saveChange(change, false)) await closeEditors();
  } catch (error) {
    byId("source-problem").textContent = error.message;
  }
});
