"use strict";
// Makes reading quicker; all there is to read is there without it. It reads text and sets what is
// hidden or open: nothing of a file is ever taken for markup.
(() => {
  const byId = (id) => document.getElementById(id);
  const listing = byId("listing");
  const bar = byId("bar");
  const query = byId("query");
  const kind = byId("kind");
  const count = byId("count");
  const help = byId("help");
  const rows = listing.querySelectorAll("ol > li");
  const files = Array.from(document.querySelectorAll("main > article"), (section, at) => {
    const fold = section.firstElementChild;
    const path = fold.querySelector("h3").textContent.toLowerCase();
    return { section, fold, path, row: rows[at], shown: true };
  });
  let shown = files;

  const wanted = () => {
    const words = query.value.toLowerCase().split(/\s+/u).filter((word) => word !== "" && word !== "!");
    const name = kind.value;
    return (file) =>
      (name === "" || file.section.classList.contains(name)) &&
      words.every((word) => (word[0] === "!" ? !file.path.includes(word.slice(1)) : file.path.includes(word)));
  };
  const filter = () => {
    const fits = wanted();
    for (const file of files) {
      const fitting = fits(file);
      if (fitting !== file.shown) {
        file.shown = fitting;
        file.section.hidden = !fitting;
        file.row.hidden = !fitting;
      }
    }
    shown = files.filter((file) => file.shown);
    count.textContent = count.dataset.text
      .replace("{shown}", shown.length.toLocaleString("en"))
      .replace("{count}", files.length.toLocaleString("en"));
  };
  let waiting = false;
  const filterSoon = () => {
    if (!waiting) {
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        filter();
      });
    }
  };

  const foldAll = (open) => {
    for (const file of shown) {
      file.fold.open = open;
    }
  };

  // The file in hand: the one that has the focus, while some of it can be seen; else the one at
  // the top of the window.
  const barHeight = () => (getComputedStyle(bar).position === "sticky" ? bar.offsetHeight : 0);
  const edge = () => barHeight() + 20;
  const current = () => {
    const held = document.activeElement.closest("main > article");
    if (held !== null) {
      const { top, bottom } = held.getBoundingClientRect();
      if (top < window.innerHeight && bottom > barHeight()) {
        return shown.findIndex((file) => file.section === held);
      }
    }
    let low = 0;
    let high = shown.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (shown[middle].section.getBoundingClientRect().top <= edge()) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  };
  const jump = (file) => {
    // Heights of what was never drawn are guesses: what comes into view moves the goal.
    for (let tries = 0; tries < 4; tries += 1) {
      file.section.scrollIntoView({ block: "start", behavior: "instant" });
    }
    file.fold.firstElementChild.focus({ preventScroll: true });
  };
  const step = (by) => {
    const to = Math.min(Math.max(current() + by, 0), shown.length - 1);
    if (to >= 0) {
      jump(shown[to]);
    }
  };
  const openTarget = () => {
    const at = /^#f([0-9]+)$/u.exec(location.hash);
    const file = at === null ? undefined : files[Number(at[1]) - 1];
    if (file !== undefined) {
      if (!file.shown) {
        query.value = "";
        kind.value = "";
        filter();
      }
      file.fold.open = true;
      jump(file);
    }
  };
  const toList = () => {
    listing.open = true;
    listing.scrollIntoView({ block: "start", behavior: "instant" });
    listing.firstElementChild.focus({ preventScroll: true });
  };
  const toggle = () => {
    const file = shown[current()];
    if (file !== undefined) {
      file.fold.open = !file.fold.open;
      jump(file);
    }
  };

  const keys = new Map([
    ["n", () => step(1)],
    ["p", () => step(-1)],
    ["o", toggle],
    ["h", () => foldAll(false)],
    ["s", () => foldAll(true)],
    ["l", toList],
    ["/", () => query.select()],
    ["?", () => help.showModal()],
  ]);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || help.open) {
      return;
    }
    if (event.target === query || event.target === kind) {
      if (event.key === "Escape" && event.target === query) {
        query.value = "";
        filter();
        query.blur();
      } else if (event.key === "Enter" && event.target === query && shown.length > 0) {
        filter();
        jump(shown[0]);
      }
      return;
    }
    const act = keys.get(event.key);
    if (act !== undefined) {
      event.preventDefault();
      act();
    }
  });
  query.addEventListener("input", filterSoon);
  kind.addEventListener("change", filter);
  byId("hide").addEventListener("click", () => foldAll(false));
  byId("show").addEventListener("click", () => foldAll(true));
  byId("ask").addEventListener("click", () => help.showModal());
  byId("close").addEventListener("click", () => help.close());
  window.addEventListener("hashchange", openTarget);
  listing.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (link !== null && link.hash === location.hash) {
      openTarget();
    }
  });

  bar.hidden = false;
  const measure = () => document.documentElement.style.setProperty("--bar", `${barHeight()}px`);
  window.addEventListener("resize", measure);
  measure();
  filter();
  openTarget();
})();
