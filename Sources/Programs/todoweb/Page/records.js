// A paged cache of the records.

import { stream } from './wire.js';

const pageRecords = 256;
/// 64 pages are 16,384 records.
const pagesMax = 64;
/// Minimum interval between loads, because the state has priority during a drag.
const pauseMilliseconds = 80;
/// How long the state is loaded alone after a jump.
const stateMilliseconds = 60;

/// The cache. `onLoad()` is called when records were loaded, `onForget()` when the cache was cleared.
export class Records {
  #pages = new Map();
  #wanted = [];
  #running = null;
  #waiting = new Map();
  #timer = 0;
  #range = [1, 0];
  #began = 0;
  #abort = new AbortController();
  onLoad = () => {};
  onForget = () => {};

  constructor(model) {
    this.model = model;
  }

  get(sequence) {
    return this.#pages.get(pageOf(sequence))?.[(sequence - 1) % pageRecords];
  }

  /// The record, loaded if necessary; undefined if it does not exist.
  load(sequence) {
    const record = this.get(sequence);
    if (record !== undefined || sequence < 1 || sequence > this.model.head) return Promise.resolve(record);
    return new Promise((resolve, reject) => {
      const list = this.#waiting.get(sequence) ?? [];
      list.push({ resolve, reject });
      this.#waiting.set(sequence, list);
      this.#run();
    });
  }

  /// Sets the visible range. Missing pages are loaded, and older wishes are dropped.
  want(first, last) {
    this.#range = [first, last];
    this.#wanted = [];
    for (let page = pageOf(Math.max(first, 1)); page <= pageOf(Math.min(last, this.model.head)); page++) {
      if (!this.#isWhole(page)) this.#wanted.push(page);
    }
    if (this.#wanted.length === 0 || this.#timer !== 0) return;
    const isStateComing = this.model.stateSequence >= 0 && this.model.stateSequence !== this.model.moment;
    const left = Math.max(this.#began + pauseMilliseconds - performance.now(), isStateComing ? stateMilliseconds : 0);
    if (left <= 0) this.#run();
    else this.#timer = setTimeout(() => { this.#timer = 0; this.#run(); }, left);
  }

  add(records) {
    for (const record of records) this.#page(pageOf(record.sequence))[(record.sequence - 1) % pageRecords] = record;
    this.#trim();
  }

  /// Clears the cache and ignores pending loads, after a change of the log or a redaction.
  forget() {
    this.#pages.clear();
    this.#abort.abort();
    this.#abort = new AbortController();
    this.onForget();
  }

  async #run() {
    if (this.#running !== null) return;
    const [asked] = this.#waiting.keys();
    const page = asked !== undefined ? pageOf(asked) : this.#wanted.shift();
    if (page === undefined) return;
    this.#running = page;
    this.#began = performance.now();
    try {
      await this.#fetch(page);
      this.#answer(page);
      this.onLoad();
    } catch (error) {
      this.#answer(page, error);
      // Allows the next drawing to request the range again.
      if (error.name !== 'AbortError') this.#wanted = [];
    } finally {
      this.#running = null;
      if (this.#waiting.size > 0) this.#run();
      else if (this.#wanted.length > 0) this.want(...this.#range);
    }
  }

  async #fetch(page) {
    const from = Math.max(page * pageRecords + 1, (this.model.base ?? 0) + 1);
    const to = Math.min((page + 1) * pageRecords, this.model.head);
    if (from > to) return;
    await stream('Log', { from: { sequence: from }, to: { sequence: to } }, (reply) => this.add(reply.records),
      { signal: this.#abort.signal });
  }

  #answer(page, error) {
    for (const [sequence, list] of this.#waiting) {
      if (pageOf(sequence) !== page) continue;
      this.#waiting.delete(sequence);
      for (const { resolve, reject } of list) if (error === undefined) resolve(this.get(sequence)); else reject(error);
    }
  }

  #isWhole(page) {
    const records = this.#pages.get(page);
    if (records === undefined) return false;
    this.#pages.delete(page);
    this.#pages.set(page, records);
    const first = Math.max(page * pageRecords, this.model.base ?? 0);
    const last = Math.min((page + 1) * pageRecords, this.model.head);
    for (let index = first; index < last; index++) if (records[index % pageRecords] === undefined) return false;
    return true;
  }

  #page(page) {
    if (!this.#pages.has(page)) this.#pages.set(page, new Array(pageRecords));
    return this.#pages.get(page);
  }

  #trim() {
    while (this.#pages.size > pagesMax) this.#pages.delete(this.#pages.keys().next().value);
  }
}

function pageOf(sequence) {
  return Math.floor((sequence - 1) / pageRecords);
}
