// A paged cache of the records, each with its changes and its sentence.

import { hasTitles, namesIn, recordSentence } from './sentence.js';
import { ask, stream } from './wire.js';

const pageRecords = 256;
/// 64 pages are 16,384 records.
const pagesMax = 64;
/// Changes that are kept of one record.
const changesMax = 1024;
/// Elements of one page whose titles are asked for.
const titlesMax = 32;
/// Minimum interval between loads, because the state has priority during a drag.
const pauseMilliseconds = 80;
/// How long the state is loaded alone after a jump.
const stateMilliseconds = 60;

/// The cache. `onLoad()` is called when records were loaded, `onForget()` when the cache was cleared.
///
/// A loaded record has two more fields: `changes`, null if there are too many, and `sentence`. A record that came with the stream
/// of the log has neither until it is loaded.
export class Records {
  #pages = new Map();
  #wanted = [];
  #visible = [];
  #running = null;
  #waiting = new Map();
  #timer = 0;
  #began = 0;
  #abort = new AbortController();
  onLoad = () => {};
  onForget = () => {};

  constructor(model) { this.model = model; }

  get(sequence) { return this.#pages.get(pageOf(sequence))?.[(sequence - 1) % pageRecords]; }

  /// The record's sentence with the titles that are known.
  sentence(record, changes) {
    if (changes !== undefined && changes !== null) return recordSentence(record, changes, namesIn(this.model.state));
    return record.sentence ?? this.get(record.sequence)?.sentence ?? recordSentence(record, [], namesIn(this.model.state));
  }

  /// The loaded record; undefined if it does not exist.
  load(sequence) {
    const record = this.get(sequence);
    if (record?.sentence !== undefined || sequence < 1 || sequence > this.model.head) return Promise.resolve(record);
    return new Promise((resolve, reject) => {
      const list = this.#waiting.get(sequence) ?? [];
      list.push({ resolve, reject });
      this.#waiting.set(sequence, list);
      this.#run();
    });
  }

  /// Names the visible records. Their missing pages are loaded, and older wishes are dropped.
  want(sequences) {
    this.#visible = sequences;
    const { base, head } = this.model;
    const missing = sequences.filter((sequence) => sequence > base && sequence <= head && this.get(sequence) === undefined);
    this.#wanted = [...new Set(missing.map(pageOf))];
    if (this.#wanted.length === 0 || this.#timer !== 0) return;
    const isStateComing = this.model.stateSequence >= 0 && this.model.stateSequence !== this.model.moment;
    const left = Math.max(this.#began + pauseMilliseconds - performance.now(), isStateComing ? stateMilliseconds : 0);
    if (left <= 0) this.#run();
    else this.#timer = setTimeout(() => { this.#timer = 0; this.#run(); }, left);
  }

  /// Loads the visible records that came with the stream, for their titles.
  complete() {
    const pages = this.#visible.filter((sequence) => this.get(sequence)?.sentence === undefined).map(pageOf);
    this.#wanted = [...new Set([...this.#wanted, ...pages])];
    this.#run();
  }

  add(records) {
    for (const record of records) {
      const page = this.#page(pageOf(record.sequence));
      page[(record.sequence - 1) % pageRecords] ??= record;
    }
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
      else if (this.#wanted.length > 0) this.want(this.#visible);
    }
  }

  async #fetch(page) {
    const from = Math.max(page * pageRecords + 1, this.model.base + 1);
    const to = Math.min((page + 1) * pageRecords, this.model.head);
    if (from > to) return;
    const { signal } = this.#abort;
    const unnamed = new Map();
    await stream('Log', { from: { sequence: from }, to: { sequence: to }, changes: true }, ({ records, details = [] }) => {
      const place = this.#page(page);
      records.forEach((record, index) => {
        const changes = details[index]?.changes ?? null;
        record.changes = changes === null || changes.length > changesMax ? null : changes;
        record.sentence = recordSentence(record, changes ?? [], (feature, id) => {
          if (id === undefined || !hasTitles(feature)) return;
          const key = `${feature} ${id}`;
          unnamed.set(key, { feature, id, records: [...unnamed.get(key)?.records ?? [], record] });
        });
        place[(record.sequence - 1) % pageRecords] = record;
      });
      this.#trim();
    }, { signal });
    this.#addTitles([...unnamed.values()].slice(0, titlesMax), signal);
  }

  // An action like a move changes nothing in which the element's title would stand.
  async #addTitles(elements, signal) {
    if (elements.length === 0) return;
    await Promise.all(elements.map(async ({ feature, id, records }) => {
      const at = { sequence: records.at(-1).sequence };
      const { state } = await ask('GetState', { scope: `${feature}.items`, id, at }, { signal }).catch(() => ({}));
      if (state === undefined) return;
      for (const record of records) record.sentence = recordSentence(record, record.changes ?? [], namesIn(state));
    }));
    if (!signal.aborted) this.onLoad();
  }

  #answer(page, error) {
    for (const [sequence, list] of this.#waiting) {
      if (pageOf(sequence) !== page) continue;
      this.#waiting.delete(sequence);
      for (const { resolve, reject } of list) if (error === undefined) resolve(this.get(sequence)); else reject(error);
    }
  }

  #page(page) {
    const found = this.#pages.get(page) ?? new Array(pageRecords);
    // The page that was used last is dropped last.
    this.#pages.delete(page);
    this.#pages.set(page, found);
    return found;
  }

  #trim() {
    while (this.#pages.size > pagesMax) this.#pages.delete(this.#pages.keys().next().value);
  }
}

function pageOf(sequence) { return Math.floor((sequence - 1) / pageRecords); }
