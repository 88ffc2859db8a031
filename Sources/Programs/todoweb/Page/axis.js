// Places of records on the strip: proportional to the records, with a narrow gap for a long quiet time.

import { ask } from './wire.js';

const bucketsMax = 1000;
const gapsMax = 10;
/// The width of a gap as a part of the strip.
const gapWidth = 0.02;
/// The shortest gap: a part of the whole time, and a minute.
const gapParts = 32;
const gapMicroseconds = 60e6;

export class Axis {
  /// The axis of the records after `first` through `last`. `buckets` are equal times with records, `{first, last, time}`;
  /// `gaps` are quiet times, `{after, length}`, both ascending.
  constructor(first, last, buckets = [], gaps = []) {
    Object.assign(this, { first, last, buckets, gaps });
    this.most = Math.max(1, ...buckets.map((bucket) => bucket.last - bucket.first));
  }

  static async of(first, last, signal) {
    if (last - first < 2) return new Axis(first, last);
    const { begin, end, sequences } = await ask('Scan',
      { question: 'activity', from: { sequence: first + 1 }, to: { sequence: last }, buckets: bucketsMax }, { signal });
    const length = (end - begin) / (sequences.length - 1);
    if (!(length > 0)) return new Axis(first, last);
    const buckets = [];
    let gaps = [];
    let quiet = 0;
    for (let index = 1; index < sequences.length; index++) {
      const [before, after] = [sequences[index - 1], sequences[index]];
      quiet += length;
      if (after === before) continue;
      quiet -= length;
      if (quiet >= Math.max((end - begin) / gapParts, gapMicroseconds)) gaps.push({ after: before, length: quiet });
      quiet = 0;
      buckets.push({ first: before, last: after, time: begin + index * length });
    }
    gaps = gaps.sort((a, b) => b.length - a.length).slice(0, gapsMax).sort((a, b) => a.after - b.after);
    return new Axis(first, last, buckets, gaps);
  }

  /// The position of a record, 0 to 1.
  place(sequence) {
    const passed = this.gaps.filter(({ after }) => after < sequence).length;
    const part = (sequence - this.first) / Math.max(1, this.last - this.first);
    return Math.min(1, Math.max(0, part * (1 - gapWidth * this.gaps.length) + gapWidth * passed));
  }

  /// The position of a gap.
  gap({ after }) {
    const left = this.place(after);
    return { left, right: left + gapWidth };
  }

  /// The positions of a bucket.
  span({ first, last }) {
    const isBehindGap = this.gaps.some(({ after }) => after === first);
    return { left: this.place(first) + (isBehindGap ? gapWidth : 0), right: this.place(last) };
  }

  sequence(place) {
    let passed = 0;
    for (const gap of this.gaps) {
      const { left, right } = this.gap(gap);
      if (place < left) break;
      if (place <= right) return gap.after;
      passed += 1;
    }
    const part = (place - gapWidth * passed) / (1 - gapWidth * this.gaps.length);
    return Math.round(this.first + Math.min(1, Math.max(0, part)) * (this.last - this.first));
  }
}
