// A virtual list: only visible rows have nodes.

import { h } from './dom.js';

/// Browsers limit elements to about 33,000,000 pixels. Longer lists use a scaled scroll bar.
const heightMax = 8_000_000;
const settleMilliseconds = 200;
const rowsBeyond = 6;

let lists = 0;

/// Options: `rowHeight` in pixels; `role` and `rowRole`; `label`; `key(index)`, a stable key of a row; `render(index, node)`,
/// which creates or updates the node of a row and returns it; `onActive(index)` and `onEnter(index)` for the active row;
/// `onRange(first, last)` when the visible range changes.
export class VirtualList {
  count = 0;
  active = -1;
  #rows = new Map();
  #top = 0;
  #lastTop = 0;
  #isScheduled = false;
  #settling = 0;
  #seen = 0;

  constructor(options) {
    this.options = options;
    this.name = `list${++lists}`;
    this.space = h('div', { class: 'virtual-space', role: 'presentation' });
    this.element = h('div', {
      class: `virtual ${options.class ?? ''}`, role: options.role, ariaLabel: options.label, tabindex: 0,
      onscroll: () => this.#scrolled(), onkeydown: (event) => this.#key(event), onclick: (event) => this.#click(event),
    }, this.space);
    new ResizeObserver(() => { this.#seen = this.element.clientHeight; this.draw(); }).observe(this.element);
  }

  /// The height of all rows, and of the element that represents them.
  get #whole() { return this.count * this.options.rowHeight; }
  get #height() { return Math.min(this.#whole, heightMax); }
  get #isScaled() { return this.#whole > heightMax; }
  // Cached because reading it between changes would force a layout.
  get #shown() { return this.#seen ||= this.element.clientHeight; }

  /// Sets the number of rows. `added` of them are new at the front; the visible rows stay in place unless the list is at the top.
  setCount(count, added = 0) {
    const stays = added > 0 && this.#top >= this.options.rowHeight;
    this.count = count;
    this.space.style.height = `${this.#height}px`;
    if (this.active >= 0 && added > 0) this.active += added;
    if (this.active >= count) this.active = count - 1;
    if (stays) this.#moveTo(this.#top + added * this.options.rowHeight);
    else this.#top = clamp(this.#top, 0, Math.max(0, this.#whole - this.#shown));
    this.refresh();
  }

  /// Redraws the visible rows once per task, so that a change of the model is painted in the same frame.
  refresh() {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => { this.#isScheduled = false; this.draw(); });
  }

  show(index, { center = false } = {}) {
    const { rowHeight } = this.options;
    const at = index * rowHeight;
    if (center && (at < this.#top || at + rowHeight > this.#top + this.#shown)) this.#moveTo(at - (this.#shown - rowHeight) / 2);
    else if (at < this.#top) this.#moveTo(at);
    else if (at + rowHeight > this.#top + this.#shown) this.#moveTo(at + rowHeight - this.#shown);
    this.refresh();
  }

  setActive(index) {
    this.active = clamp(index, -1, this.count - 1);
    if (this.active < 0) return;
    this.show(this.active);
    this.options.onActive?.(this.active);
  }

  draw() {
    const { rowHeight, key, render, rowRole } = this.options;
    if (this.#shown === 0) return;
    const first = Math.max(0, Math.floor(this.#top / rowHeight) - rowsBeyond);
    const last = Math.min(this.count - 1, Math.ceil((this.#top + this.#shown) / rowHeight) + rowsBeyond);
    const offset = this.#top - this.#lastTop;
    const rows = new Map();
    let before = null;
    for (let index = first; index <= last; index++) {
      const name = key(index);
      const old = this.#rows.get(name);
      const node = render(index, old?.node ?? null);
      if (old === undefined) {
        node.id = `${this.name}-${name}`;
        node.setAttribute('role', rowRole);
        node.classList.add('virtual-row');
      }
      node.style.top = `${index * rowHeight - offset}px`;
      node.setAttribute('aria-posinset', index + 1);
      if (rowRole !== 'treeitem') node.setAttribute('aria-setsize', this.count);
      node.classList.toggle('active', index === this.active);
      node.dataset.index = index;
      // The nodes are in row order, for screen readers and tabbing.
      const next = before === null ? this.space.firstChild : before.nextSibling;
      if (node.parentNode !== this.space || next !== node
        && !node.contains(document.activeElement)) this.space.insertBefore(node, next);
      before = node;
      rows.set(name, { node });
    }
    for (const [name, { node }] of this.#rows) if (rows.get(name)?.node !== node) node.remove();
    this.#rows = rows;
    const active = this.active >= first && this.active <= last ? rows.get(key(this.active))?.node : undefined;
    if (active === undefined) this.element.removeAttribute('aria-activedescendant');
    else this.element.setAttribute('aria-activedescendant', active.id);
    this.options.onRange?.(Math.floor(this.#top / rowHeight),
      Math.min(this.count - 1, Math.ceil((this.#top + this.#shown) / rowHeight)));
  }

  get isAtTop() { return this.#top < this.options.rowHeight; }

  #moveTo(top) {
    this.#top = clamp(top, 0, Math.max(0, this.#whole - this.#shown));
    this.#settle();
  }

  #settle() {
    const share = this.#whole <= this.#shown ? 0 : this.#top / (this.#whole - this.#shown);
    this.element.scrollTop = this.#isScaled ? share * (this.#height - this.#shown) : this.#top;
    this.#lastTop = this.element.scrollTop;
  }

  #scrolled() {
    const top = this.element.scrollTop;
    const moved = top - this.#lastTop;
    if (moved === 0) return;
    this.#lastTop = top;
    const isDragged = Math.abs(moved) > this.#shown * 1.5;
    const share = top / Math.max(1, this.#height - this.#shown);
    const whole = Math.max(0, this.#whole - this.#shown);
    if (!this.#isScaled) this.#top = top;
    else this.#top = clamp(isDragged ? share * whole : this.#top + moved, 0, whole);
    // Drawn in the frame of the scroll event, so that no gap is visible.
    this.draw();
    if (!this.#isScaled) return;
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => { this.#settle(); this.draw(); }, settleMilliseconds);
  }

  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || this.count === 0) return;
    const page = Math.max(1, Math.floor(this.#shown / this.options.rowHeight) - 1);
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (event.key in moves) {
      const from = this.active < 0 ? Math.floor(this.#top / this.options.rowHeight) - (moves[event.key] > 0 ? 1 : 0)
        : this.active;
      this.setActive(clamp(from + moves[event.key], 0, this.count - 1));
    } else if (event.key === 'Enter' && this.active >= 0) {
      this.options.onEnter?.(this.active);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  #click(event) {
    const row = event.target.closest?.('.virtual-row');
    if (row === null) return;
    this.setActive(Number(row.dataset.index));
    this.options.onClick?.(this.active, event);
  }
}

function clamp(value, least, most) { return Math.min(Math.max(value, least), Math.max(least, most)); }
