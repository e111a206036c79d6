// Search, filters, sorting, copying and keys. Every page can be read without this script.
(() => {
  "use strict";
  const one = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const live = document.body.classList.contains("live");
  const say = (text) => { const place = one("#said"); if (place) place.textContent = text; };
  document.body.classList.add("scripted");
  let selected = null;

  // Search and filter: the server does it in a live view of units; here it is done for tables that are complete.
  const table = one("#unit-table"), q = one("#q"), state = one("#state");
  const complete = table && !(live && one("#table"));
  const problems = new Set(["exhausted", "failing", "issues", "disputed", "incomplete", "unanswered"]);
  const texts = new Map();
  const textOf = (row) => {
    if (!texts.has(row)) {
      const link = one("a", row), id = link && /^#(unit|pair)-\d+$/.test(link.getAttribute("href")) ? link.getAttribute("href").slice(1) : "";
      const detail = id && document.getElementById(id);
      const more = window.retouchTexts && window.retouchTexts[row.dataset.name] || "";
      texts.set(row, (row.textContent + " " + (detail ? detail.textContent : "") + " " + more).toLowerCase());
    }
    return texts.get(row);
  };
  const filter = () => {
    const words = q ? q.value.trim().toLowerCase() : "", wanted = state ? state.value : "";
    let shown = 0;
    for (const row of all("tbody tr", table)) {
      const name = row.dataset.state;
      const fits = (!wanted || name === wanted || (wanted === "problems" && problems.has(name))) && (!words || textOf(row).includes(words));
      row.hidden = !fits;
      shown += fits ? 1 : 0;
    }
    const found = one("#found"), total = all("tbody tr", table).length;
    if (found) found.textContent = words || wanted ? `${shown} of ${total} found` : `${total} in all`;
  };
  if (complete) {
    let waiting = 0;
    if (q) q.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(filter, 120); });
    if (state) state.addEventListener("change", filter);
    const form = q && q.closest("form");
    if (form) form.addEventListener("submit", (event) => { event.preventDefault(); filter(); });
    if (q && one("meta[name=retouch-texts]")) {
      q.addEventListener("focus", () => {
        const script = document.createElement("script");
        script.src = one("meta[name=retouch-texts]").content;
        script.onload = () => { texts.clear(); filter(); };
        document.head.append(script);
      }, { once: true });
    }
    // Sorting
    const heads = all("thead th", table);
    const value = (row, column) => { const cell = row.cells[column]; return cell.dataset.sort ?? cell.textContent.trim(); };
    let sorted = null;
    const sort = (column, down) => {
      const rows = all("tbody tr", table).map((row) => [value(row, column), row]);
      const number = (text) => { const found = parseFloat(String(text).replace(/[$,]/g, "")); return Number.isNaN(found) ? null : found; };
      const numeric = rows.every(([text]) => text === "" || text === "unknown" || number(text) !== null);
      rows.sort(([a], [b]) => numeric ? (number(a) ?? -1) - (number(b) ?? -1) : a.localeCompare(b, undefined, { numeric: true }));
      if (down) rows.reverse();
      const body = table.tBodies[0];
      rows.forEach(([, row]) => body.append(row));
      sorted = [column, down];
    };
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        sort(column, down);
        say(`Sorted by ${button.textContent.trim()}, ${down ? "descending" : "ascending"}`);
      });
    });
    if ((q && q.value) || (state && state.value)) filter();
    // Rows of a live table of runs are replaced: order, filter, selection and focus stay as they were.
    const offer = (select, names) => { if (!select) return; const known = new Set([...select.options].map((option) => option.value)); names.filter((name) => !known.has(name)).forEach((name) => { known.add(name); select.add(new Option(name, name)); }); };
    let focused = "";
    document.body.addEventListener("htmx:beforeSwap", () => { const row = document.activeElement && document.activeElement.closest("#rows tr"); focused = row ? row.dataset.name : ""; });
    document.body.addEventListener("htmx:afterSettle", () => {
      if (!one("#rows", table)) return;
      texts.clear();
      const rows = all("tbody tr", table);
      offer(state, rows.map((row) => row.dataset.state));
      ["#a", "#b"].forEach((place) => offer(one(place), rows.map((row) => row.dataset.name)));
      if (sorted) sort(...sorted);
      filter();
      const again = (name) => name && rows.find((row) => row.dataset.name === name);
      if (selected && selected.isConnected === false) { selected = again(selected.dataset.name) || null; if (selected) selected.classList.add("selected"); }
      const row = again(focused), link = row && one("a", row);
      if (link) link.focus({ preventScroll: true });
    });
  }

  // Copying
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    const done = () => { say("Copied"); button.firstChild.textContent = "Copied"; setTimeout(() => { button.firstChild.textContent = "Copy"; }, 1500); };
    const fallback = () => { const range = document.createRange(); range.selectNodeContents(button.previousElementSibling); const picked = getSelection(); picked.removeAllRanges(); picked.addRange(range); say("Selected; press Ctrl+C"); };
    if (navigator.clipboard) navigator.clipboard.writeText(button.dataset.copy).then(done, fallback); else fallback();
  });

  // Keys
  const dialog = one("#keys");
  const showKeys = () => { if (dialog && dialog.showModal && !dialog.open) dialog.showModal(); };
  const opener = one(".keys-button");
  if (opener) opener.addEventListener("click", showKeys);
  const step = (by) => {
    const places = all("#unit-table tbody tr").filter((row) => !row.hidden);
    const list = places.length ? places : all(".attempt");
    if (!list.length) return;
    const at = Math.min(Math.max(list.indexOf(selected) + by, 0), list.length - 1);
    if (selected) selected.classList.remove("selected");
    selected = list[at];
    selected.classList.add("selected");
    const link = one("a", selected);
    (selected.matches("tr") && link ? link : selected).focus({ preventScroll: true });
    selected.scrollIntoView({ block: "nearest" });
  };
  const follow = (selector) => { const link = one(selector); if (link) link.click(); };
  const actions = {
    "/": () => { if (q) { q.focus(); q.select(); } },
    "?": showKeys,
    j: () => step(1),
    k: () => step(-1),
    u: () => { const links = all(".crumbs a"); if (links.length) links[links.length - 1].click(); else location.hash = "#main"; },
    n: () => follow(".steps [rel=next]"),
    p: () => follow(".steps [rel=prev]"),
    e: () => { const folds = all("details.fold"); const open = folds.some((fold) => !fold.open); folds.forEach((fold) => { fold.open = open; }); say(open ? "All texts are open" : "All texts are folded"); },
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea, dialog[open]")) return;
    const action = actions[event.key];
    if (action) { event.preventDefault(); action(); }
  });
  // Printing shows folded texts
  addEventListener("beforeprint", () => all("details.fold").forEach((fold) => { fold.dataset.was = fold.open; fold.open = true; }));
  addEventListener("afterprint", () => all("details.fold").forEach((fold) => { fold.open = fold.dataset.was === "true"; }));
})();
