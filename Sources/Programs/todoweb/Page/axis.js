// Maps records to positions on the slider: proportional to time, with quiet times shortened.

import { call } from './wire.js';

const bucketsMax = 320;
/// Width, in buckets, of a longer run of empty buckets.
const quietBuckets = 8;

/// Maps a range of records by pieces `{first, last, from, to, left, right, quiet}`: of the log, of time, and of the width (0 to
/// 1).
export class Axis {
  constructor(first, last, pieces) {
    this.first = first;
    this.last = last;
    this.pieces = pieces;
    this.most = Math.max(1, ...pieces.map((piece) => piece.density ?? 0));
  }

  static even(first, last) {
    return new Axis(first, last, [{ first, last, from: null, to: null, left: 0, right: 1, quiet: false, density: null }]);
  }

  /// The axis of the records after `first` through `last`.
  static async of(first, last, signal) {
    if (last - first < 2) return Axis.even(first, last);
    const buckets = Math.min(bucketsMax, last - first);
    const answer = await call('Scan',
      { question: 'activity', from: { sequence: first + 1 }, to: { sequence: last }, buckets }, { signal });
    return Axis.from(answer, first, last);
  }

  static from({ begin: from, end: to, sequences }, first, last) {
    const buckets = sequences.length - 1;
    if (buckets < 1 || to <= from) return Axis.even(first, last);
    const pieces = [];
    const time = (index) => from + (to - from) * index / buckets;
    for (let index = 0; index < buckets; index++) {
      const quiet = sequences[index + 1] === sequences[index];
      const piece = { first: sequences[index], last: sequences[index + 1], from: time(index), to: time(index + 1), quiet,
        buckets: 1 };
      const before = pieces.at(-1);
      if (quiet && before?.quiet) { before.to = piece.to; before.buckets += 1; } else pieces.push(piece);
    }
    const widths = pieces.map(({ quiet, buckets }) => quiet ? Math.min(buckets, quietBuckets) : 1);
    const whole = widths.reduce((sum, width) => sum + width, 0);
    let left = 0;
    pieces.forEach((piece, index) => {
      piece.left = left / whole;
      left += widths[index];
      piece.right = left / whole;
      piece.density = piece.last - piece.first;
      piece.isCut = piece.buckets > widths[index];
    });
    pieces[0].first = first;
    pieces.at(-1).last = last;
    return new Axis(first, last, pieces);
  }

  /// The position of a record, 0 to 1, also beyond the ends.
  place(sequence) {
    const { pieces, first, last } = this;
    if (sequence <= first) return sequence === first ? 0 : (sequence - first) / Math.max(1, last - first);
    if (sequence > last) return 1 + (sequence - last) / Math.max(1, last - first);
    let low = 0;
    let high = pieces.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pieces[middle].last < sequence) low = middle + 1; else high = middle;
    }
    const piece = pieces[low];
    return piece.left + (piece.right - piece.left) * (sequence - piece.first) / Math.max(1, piece.last - piece.first);
  }

  sequence(place) {
    const { first, last } = this;
    if (place < 0 || place > 1) return Math.round(first + place * (last - first));
    const piece = this.pieces.find(({ right }) => place <= right) ?? this.pieces.at(-1);
    return Math.round(piece.first + (piece.last - piece.first) * (place - piece.left) / (piece.right - piece.left));
  }

  placeOfTime(time) {
    const piece = this.pieces.find(({ from, to }) => from !== null && from <= time && time <= to);
    return piece === undefined ? null : piece.left + (piece.right - piece.left) * (time - piece.from) / (piece.to - piece.from);
  }
}
