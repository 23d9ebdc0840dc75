// The browser's half of Table: draws the rows in sight, asks for windows of them, moves by keyboard.

const ROW = 27; // also --tc-row in style.css
const HEAD = 27;
const BLOCK = 50; // rows asked for at once
const KEPT = 40; // blocks remembered
const TALLEST = 6_000_000; // browsers cap the height of an element; beyond it the scrollbar is scaled

function node(tag, className, attributes = {}) {
  const made = document.createElement(tag);
  made.className = className;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function render({ model, el }) {
  const id = `tc-${Math.random().toString(36).slice(2)}`;
  const root = node("div", "tc-widget tc-table");
  const grid = node("div", "tc-grid", { role: "grid", tabindex: "0", "data-lm-suppress-shortcuts": "true" });
  const space = node("div", "tc-space");
  const layer = node("div", "tc-layer");
  const head = node("div", "tc-row tc-head", { role: "row", "aria-rowindex": "1" });
  const body = node("div", "tc-body", { role: "rowgroup" });
  const whole = node("div", "tc-whole");
  const note = node("div", "tc-note");
  layer.append(head, body);
  space.append(layer);
  grid.append(space);
  root.append(grid, note, whole);
  el.append(root);

  let first = 0; // the row at the top
  let column = 0; // the column the arrow keys are on
  let selected = -1;
  let revision = -1;
  let blocks = new Map(); // block number -> rows, null while asked for
  let placed = 0; // the scroll position last set from here
  let pool = []; // one element a row in sight
  let full = { key: "", texts: [] }; // the whole texts of the chosen row

  const count = () => model.get("count");
  const columns = () => model.get("columns");
  const visible = () => Math.max(1, Math.floor((grid.clientHeight - HEAD) / ROW) || model.get("height"));
  const highest = () => Math.max(0, count() - visible());
  const clamp = (value, low, high) => Math.max(low, Math.min(high, value));
  const cut = (text) => text.includes("… (") && text.endsWith(" characters)");

  function drawHead() {
    const sort = model.get("sort");
    // Numbers keep their width; texts share what is left, and never grow with what they hold.
    const narrowest = columns().map((c) => (c.number ? c.width * 0.59 + 1.3 : Math.min(c.width, 13) * 0.6 + 1.5));
    const widths = columns().map((c, i) => (c.number ? `${narrowest[i]}em` : `minmax(${narrowest[i]}em, ${c.width}fr)`));
    root.style.setProperty("--tc-columns", widths.join(" "));
    layer.style.width = `max(100%, ${narrowest.reduce((sum, width) => sum + width, 0)}em)`;
    grid.setAttribute("aria-label", model.get("label"));
    grid.setAttribute("aria-colcount", columns().length);
    column = clamp(column, 0, Math.max(0, columns().length - 1));
    head.replaceChildren(...columns().map((c, i) => {
      const cell = node("div", c.number ? "tc-number" : "", { role: "columnheader", id: `${id}-h-${i}` });
      const sorted = sort.column === c.name;
      cell.setAttribute("aria-colindex", i + 1);
      cell.setAttribute("aria-sort", !sorted ? "none" : sort.descending ? "descending" : "ascending");
      cell.textContent = !sorted ? c.title : `${sort.descending ? "▼" : "▲"} ${c.title}`;
      cell.title = `${c.title}: click, or Enter in this column, to sort`;
      cell.addEventListener("click", () => {
        column = i;
        sortBy(i);
      });
      return cell;
    }));
  }

  function drawRow(i) {
    const row = node("div", "tc-row", { role: "row" });
    row.append(...columns().map((c, j) => {
      const cell = node("div", `${c.number ? "tc-number" : ""} ${c.bold ? "tc-bold" : ""}`, { role: "gridcell" });
      cell.setAttribute("aria-colindex", j + 1);
      return cell;
    }));
    row.addEventListener("click", (event) => {
      const cell = event.target.closest("[role=gridcell]");
      if (cell) column = [...row.children].indexOf(cell);
      choose(first + i);
    });
    return row;
  }

  function resize() {
    grid.style.height = `${HEAD + ROW * model.get("height") + 2}px`;
    space.style.height = `${HEAD + Math.min(count() * ROW, TALLEST)}px`;
    pool = Array.from({ length: visible() }, (_, i) => drawRow(i));
    body.replaceChildren(...pool);
  }

  function rowAt(index) {
    const block = blocks.get(Math.floor(index / BLOCK));
    return block ? block[index % BLOCK] : undefined;
  }

  function fetchRows() {
    const last = Math.min(first + pool.length, count()) - 1;
    for (let block = Math.floor(first / BLOCK); block <= Math.floor(last / BLOCK); block++) {
      if (blocks.has(block)) continue;
      blocks.set(block, null);
      model.send({ kind: "rows", revision, first: block * BLOCK, last: (block + 1) * BLOCK });
    }
    for (const block of blocks.keys()) {
      if (blocks.size <= KEPT) break;
      const inSight = block >= Math.floor(first / BLOCK) && block <= Math.floor(last / BLOCK);
      if (!inSight) blocks.delete(block);
    }
  }

  function paint() {
    fetchRows();
    let complete = true;
    pool.forEach((row, i) => {
      const index = first + i;
      row.hidden = index >= count();
      row.style.display = row.hidden ? "none" : "";
      if (row.hidden) return;
      const texts = rowAt(index);
      complete = complete && texts !== undefined;
      row.id = `${id}-r-${index}`;
      row.setAttribute("aria-rowindex", index + 2);
      row.setAttribute("aria-selected", index === selected);
      row.setAttribute("aria-busy", texts === undefined);
      columns().forEach((c, j) => {
        const cell = row.children[j];
        const text = texts === undefined ? "…" : texts[j];
        if (cell.textContent !== text) cell.textContent = text;
        if (cell.title !== text) cell.title = c.number || texts === undefined ? "" : text;
        cell.id = `${id}-c-${index}-${j}`;
        cell.classList.toggle("tc-active", index === selected && j === column);
      });
    });
    [...head.children].forEach((cell, j) => cell.classList.toggle("tc-active", j === column));
    grid.setAttribute("aria-rowcount", count() + 1);
    const inSight = selected >= first && selected < first + pool.length;
    grid.setAttribute("aria-activedescendant", inSight ? `${id}-c-${selected}-${column}` : `${id}-h-${column}`);
    note.textContent = count() === 0 ? "no rows" :
      `row ${(selected + 1).toLocaleString("en")} of ${count().toLocaleString("en")} · ` +
      "↑ ↓ Page Home End to move, ← → and Enter to sort";
    drawWhole();
    // Last of all: what has been painted, for tests and for anything that waits.
    root.dataset.painted = complete ? `${revision}:${first}:${selected}` : "";
  }

  // Cells of the chosen row that do not fit are written out beneath the table.
  function drawWhole() {
    const row = pool[selected - first];
    const texts = selected < 0 ? undefined : rowAt(selected);
    if (!row || !texts) {
      if (selected < 0) whole.replaceChildren();
      return;
    }
    const key = `${revision}:${selected}`;
    if (full.key !== key) {
      full = { key, texts };
      if (texts.some(cut)) model.send({ kind: "row", revision, first: selected });
    }
    const tight = [...row.children].map((cell, j) => cut(texts[j]) || cell.scrollWidth > cell.clientWidth);
    const lines = columns().map((c, j) => (tight[j] ? `${c.title}: ${full.texts[j]}` : "")).filter(Boolean);
    if (whole.textContent !== lines.join("\n")) whole.textContent = lines.join("\n");
  }

  function scroll() {
    const range = grid.scrollHeight - grid.clientHeight;
    placed = highest() ? (first / highest()) * range : 0;
    if (Math.abs(grid.scrollTop - placed) > 1) grid.scrollTop = placed;
    placed = grid.scrollTop;
  }

  function show(index) {
    if (index < first) first = index;
    else if (index >= first + visible()) first = index - visible() + 1;
    first = clamp(first, 0, highest());
    scroll();
  }

  function choose(index) {
    if (!count()) return;
    selected = clamp(index, 0, count() - 1);
    show(selected);
    paint();
    model.set("selection", [revision, selected]);
    model.save_changes();
  }

  function sortBy(i) {
    const { name, number } = columns()[i];
    const sort = model.get("sort");
    const next = sort.column !== name ? { column: name, descending: number }
      : sort.descending === number ? { column: name, descending: !number }
      : { column: "", descending: false };
    note.textContent = "sorting…";
    model.set("sort", next);
    model.save_changes();
  }

  function key(event) {
    if (event.altKey || event.metaKey) return;
    const page = visible();
    const moves = {
      ArrowDown: () => choose(selected + 1),
      ArrowUp: () => choose(selected - 1),
      PageDown: () => choose(selected + page),
      PageUp: () => choose(selected - page),
      Home: () => choose(0),
      End: () => choose(count() - 1),
      ArrowRight: () => turn(1),
      ArrowLeft: () => turn(-1),
      Enter: () => sortBy(column),
    };
    if (!(event.key in moves) || !columns().length) return;
    event.preventDefault();
    event.stopPropagation();
    moves[event.key]();
  }

  function turn(by) {
    column = clamp(column + by, 0, columns().length - 1);
    head.children[column].scrollIntoView({ block: "nearest", inline: "nearest" });
    paint();
  }

  function scrolled() {
    if (Math.abs(grid.scrollTop - placed) <= 1) return;
    const range = grid.scrollHeight - grid.clientHeight;
    placed = grid.scrollTop;
    first = clamp(Math.round((placed / range) * highest()), 0, highest());
    paint();
  }

  // On a scaled scrollbar a notch of the wheel would jump over rows: move by rows instead.
  function wheel(event) {
    if (count() * ROW <= TALLEST || !event.deltaY || event.ctrlKey) return;
    event.preventDefault();
    const rows = Math.sign(event.deltaY) * Math.max(1, Math.round(Math.abs(event.deltaY) / ROW));
    first = clamp(first + rows, 0, highest());
    scroll();
    paint();
  }

  function renew() {
    if (revision !== model.get("revision")) {
      revision = model.get("revision");
      blocks = new Map();
      drawHead();
      resize();
      first = clamp(first, 0, highest());
    }
    const [of, row] = model.get("selection");
    selected = of === revision ? row : -1;
    if (selected >= 0) show(selected);
    else scroll();
    paint();
  }

  function answer(message) {
    if (message.revision !== revision) return;
    if (message.kind === "rows") blocks.set(message.first / BLOCK, message.rows);
    if (message.kind === "row" && message.first === selected) full.texts = message.texts;
    paint();
  }

  const renewals = ["change:revision", "change:selection", "change:columns"];
  // The traits of one message change one after the other: draw once, when all have.
  let waiting = 0;
  const soon = () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(renew);
  };
  renewals.forEach((name) => model.on(name, soon));
  model.on("msg:custom", answer);
  grid.addEventListener("keydown", key);
  grid.addEventListener("scroll", scrolled);
  grid.addEventListener("wheel", wheel, { passive: false });
  const observer = new ResizeObserver(() => {
    if (visible() !== pool.length) {
      resize();
      show(first);
    }
    paint();
  });
  observer.observe(grid);
  renew();
  return () => {
    observer.disconnect();
    cancelAnimationFrame(waiting);
    renewals.forEach((name) => model.off(name, soon));
    model.off("msg:custom", answer);
  };
}

export default { render };
