// The browser's half of Diff. Every text is put in by textContent: what a trace says is never markup.

// Okabe and Ito; the sign and the word say the same without colour.
const COLOURS = {
  matched: "#009e73",
  missing: "#d55e00",
  extra: "#e69f00",
  repeated: "#56b4e9",
  moved: "#cc79a7",
  arguments: "#0072b2",
  names: "#f0e442",
};

function node(tag, className, text = "") {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}

function drawSide(call) {
  const cell = node("td", "");
  if (!call) {
    cell.setAttribute("aria-label", "no call");
    return cell;
  }
  const tool = node("div", "tc-tool");
  if (call.place) tool.append(node("span", "tc-place", call.place));
  tool.append(node("span", "", call.tool));
  tool.title = call.tool;
  cell.append(tool, node("div", "tc-arguments", call.arguments));
  return cell;
}

function drawDifference(one) {
  const item = node("li", "");
  const value = (text) => node("code", "", text);
  item.append(value(one.path), ` ${one.code}`);
  if (one.expected) item.append(": expected ", value(one.expected));
  if (one.called) item.append(one.expected ? ", called " : ": called ", value(one.called));
  return item;
}

function drawPair(pair) {
  const row = node("tr", "");
  row.dataset.kind = pair.kind;
  const between = node("td", "");
  const kind = node("span", "tc-kind");
  kind.style.setProperty("--tc-colour", COLOURS[pair.kind] ?? "#999999");
  kind.append(node("b", "", pair.sign), ` ${pair.kind}`);
  between.append(kind);
  const called = drawSide(pair.called);
  if (pair.differences?.length) {
    const list = node("ul", "tc-differences");
    list.append(...pair.differences.map(drawDifference));
    if (pair.more) list.append(node("li", "tc-more", `and ${pair.more} more`));
    called.append(list);
  }
  row.append(drawSide(pair.expected), between, called);
  return row;
}

function render({ model, el }) {
  const id = `tc-${Math.random().toString(36).slice(2)}`;
  const root = node("div", "tc-widget tc-diff-view");
  const title = node("div", "tc-diff-title");
  const scroller = node("div", "tc-diff-scroll");
  const table = node("table", "tc-diff");
  table.tabIndex = 0;
  table.setAttribute("role", "grid");
  table.setAttribute("data-lm-suppress-shortcuts", "true");
  const body = document.createElement("tbody");
  const head = node("tr", "");
  const note = node("div", "tc-note");
  const sums = node("div", "tc-sums");
  head.append(node("th", "", "expected"), node("th", "tc-between", "what happened"), node("th", "", "called"));
  const top = document.createElement("thead");
  top.append(head);
  table.append(top, body);
  scroller.append(table);
  root.append(title, scroller, note, sums);
  el.append(root);
  let selected = -1;

  function choose(index) {
    const rows = [...body.children];
    if (!rows.length) return;
    selected = Math.max(0, Math.min(rows.length - 1, index));
    rows.forEach((row, i) => row.setAttribute("aria-selected", i === selected));
    table.setAttribute("aria-activedescendant", rows[selected].id);
    rows[selected].scrollIntoView({ block: "nearest" });
  }

  function draw() {
    selected = -1;
    const pairs = model.get("pairs");
    title.textContent = model.get("title");
    table.setAttribute("aria-label", `expected calls beside calls made: ${model.get("title")}`);
    body.replaceChildren(...pairs.map((pair, i) => {
      const row = drawPair(pair);
      row.id = `${id}-${i}`;
      row.setAttribute("aria-selected", "false");
      row.addEventListener("click", () => choose(i));
      return row;
    }));
    scroller.scrollTop = 0;
    const left = model.get("left_out");
    const nothing = !pairs.length && model.get("sums").length;
    note.textContent = left ? `${left.toLocaleString("en")} more pairs are not shown`
      : nothing ? "Nothing was expected and nothing was called." : "";
    note.hidden = !note.textContent;
    table.hidden = !pairs.length;
    sums.replaceChildren(...model.get("sums").map((one) => {
      const line = node("div", "");
      line.append(node("b", "", one.variant), one.words ? ` ${one.words} = ` : " ", node("b", "", one.result));
      return line;
    }));
    sums.hidden = !sums.children.length;
    root.dataset.painted = model.get("title");
  }

  function key(event) {
    const moves = { ArrowDown: selected + 1, ArrowUp: selected - 1, Home: 0, End: body.children.length - 1 };
    if (!(event.key in moves) || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    choose(moves[event.key]);
  }

  let waiting = 0;
  const soon = () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(draw);
  };
  const drawn = ["change:pairs", "change:title", "change:sums", "change:left_out"];
  drawn.forEach((name) => model.on(name, soon));
  table.addEventListener("keydown", key);
  draw();
  return () => {
    cancelAnimationFrame(waiting);
    drawn.forEach((name) => model.off(name, soon));
  };
}

export default { render };
