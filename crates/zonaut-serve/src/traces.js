/** Offers data as a file of this name. */
const download = (blob, name) => {
  const link = make("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
};

const NAMES = { trace: "run.json", xtr: "run.xtr", xml: "run.xml", report: "run.html" };
byId("save").addEventListener("click", async () => {
  const kind = byId("save-kind").value;
  try {
    const response = await post("/api/save", { path, delays: delays.slice(0, path.length + 1), kind });
    download(await response.blob(), NAMES[kind]);
  } catch (error) {
    complain(error.message);
  }
});

byId("open").addEventListener("click", () => byId("trace-file").click());
byId("trace-file").addEventListener("change", async () => {
  const [file] = byId("trace-file").files;
  byId("trace-file").value = "";
  if (!file) return;
  try {
    const found = await (await post("/api/open", { text: await file.text() })).json();
    keep("before opening a trace");
    path = [];
    ahead = found.path;
    knowTitles(found.path, found.titles);
    delays = staysOf(found.delays, found.path);
    const first = found.path.length;
    broken = found.obstacle ? { position: first, text: `step ${first + 1} of ${found.total}`, why: found.obstacle } : null;
    await refresh();
    complain(found.obstacle ? `step ${first + 1} of ${found.total} is not possible: ${found.obstacle}` : "");
  } catch (error) {
    complain(error.message);
  }
});
