"""Models from code."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ._errors import problem
from ._model import Model, loads

_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def _name(name: str, what: str) -> str:
    if not _NAME.fullmatch(name):
        raise problem("option", f"`{name}` is not a name of a {what}")
    return name


@dataclass
class _Location:
    name: str
    invariant: str
    kind: str


@dataclass
class _Edge:
    source: str
    target: str
    parts: list[tuple[str, str]]


@dataclass
class TemplateBuilder:
    """A template under construction. Methods return the template, so that calls can be chained."""

    name: str
    parameters: str
    declarations: str
    _locations: list[_Location] = field(default_factory=list)
    _edges: list[_Edge] = field(default_factory=list)
    _initial: str | None = None

    def location(
        self,
        name: str,
        invariant: str = "",
        *,
        initial: bool = False,
        urgent: bool = False,
        committed: bool = False,
    ) -> TemplateBuilder:
        """Adds a location; the first one is initial, unless another one is declared initial."""
        _name(name, "location")
        if any(known.name == name for known in self._locations):
            raise problem("option", f"`{self.name}` has two locations `{name}`")
        if urgent and committed:
            raise problem("option", f"`{name}` is urgent and committed")
        kind = "urgent" if urgent else "commit" if committed else ""
        self._locations.append(_Location(name, invariant.strip(), kind))
        if initial:
            self._initial = name
        return self

    def edge(
        self,
        source: str,
        target: str,
        *,
        select: str = "",
        guard: str = "",
        sync: str = "",
        update: str = "",
    ) -> TemplateBuilder:
        """Adds an edge between two locations; labels are written as in UPPAAL."""
        labels = [("select", select), ("guard", guard), ("sync", sync), ("assign", update)]
        parts = [(key, label.strip()) for key, label in labels if label.strip()]
        self._edges.append(_Edge(source, target, parts))
        return self

    def _xta(self) -> str:
        if not self._locations:
            raise problem("option", f"the template `{self.name}` has no location")
        known = {location.name for location in self._locations}
        for edge in self._edges:
            for end in (edge.source, edge.target):
                if end not in known:
                    raise problem("option", f"`{self.name}` has no location `{end}`")
        states = [
            one.name + (f" {{ {one.invariant} }}" if one.invariant else "")
            for one in self._locations
        ]
        lines = [f"process {self.name}({self.parameters}) {{"]
        lines += [f"    {line}" for line in self.declarations.strip().splitlines()]
        lines.append(f"    state {', '.join(states)};")
        for kind in ("commit", "urgent"):
            names = [one.name for one in self._locations if one.kind == kind]
            if names:
                lines.append(f"    {kind} {', '.join(names)};")
        lines.append(f"    init {self._initial or self._locations[0].name};")
        edges = [
            f"        {edge.source} -> {edge.target} {{ "
            + "".join(f"{key} {label}; " for key, label in edge.parts)
            + "}"
            for edge in self._edges
        ]
        if edges:
            lines.append("    trans")
            lines.append(",\n".join(edges) + ";")
        return "\n".join([*lines, "}"])


class ModelBuilder:
    """A model under construction. Declarations and labels are text in UPPAAL's language.

    >>> import zonaut as zn
    >>> b = zn.ModelBuilder("clock x; chan press;")
    >>> lamp = b.template("Lamp").location("off").location("on", "x <= 5")
    >>> lamp = lamp.edge("off", "on", sync="press?", update="x = 0").edge("on", "off", guard="x == 5")
    >>> user = b.template("User").location("idle").edge("idle", "idle", sync="press!")
    >>> b.system("Lamp, User").query("E<> Lamp.on && x == 5")
    <ModelBuilder of Lamp, User>
    >>> [r.holds for r in b.model().check()]
    [True]
    """

    def __init__(self, declarations: str = "") -> None:
        #: The global declarations.
        self.declarations = declarations
        self._templates: list[TemplateBuilder] = []
        self._system = ""
        self._queries: list[str] = []

    def declare(self, text: str) -> ModelBuilder:
        """Adds global declarations."""
        self.declarations = f"{self.declarations.rstrip()}\n{text}".lstrip("\n")
        return self

    def template(
        self, name: str, parameters: str = "", declarations: str = ""
    ) -> TemplateBuilder:
        """Adds a template and returns it."""
        _name(name, "template")
        if any(known.name == name for known in self._templates):
            raise problem("option", f"the model has two templates `{name}`")
        template = TemplateBuilder(name, parameters, declarations)
        self._templates.append(template)
        return template

    def system(self, processes: str, declarations: str = "") -> ModelBuilder:
        """Sets the processes, such as `A, B`, with declarations of instances before them; without
        a call, every template is a process."""
        line = processes.strip().rstrip(";")
        self._system = f"{declarations.strip()}\nsystem {line};".lstrip("\n")
        return self

    def query(self, *formulas: str) -> ModelBuilder:
        """Adds queries."""
        self._queries += formulas
        return self

    def to_xta(self) -> str:
        """The model as text in UPPAAL's textual format."""
        names = ", ".join(template.name for template in self._templates)
        parts = [
            self.declarations.strip(),
            *(template._xta() for template in self._templates),
            self._system or f"system {names};",
        ]
        return "\n".join(part for part in parts if part) + "\n"

    def model(self, **constants: int) -> Model:
        """The model, with constants replaced. Raises `ModelError` if it has an error."""
        return loads(self.to_xta(), self._queries, name="builder.xta", constants=constants)

    def __repr__(self) -> str:
        return f"<ModelBuilder of {', '.join(one.name for one in self._templates)}>"
