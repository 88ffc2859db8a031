// Formats numbers, times and values.

const number = new Intl.NumberFormat();
const clockForm = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const dayForm = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'short' });
const yearForm = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' });

export function count(value) { return number.format(value); }

/// The time of day of a time in microseconds since 1970.
export function clock(time) { return clockForm.format(time / 1000); }

export function day(time) {
  const date = new Date(time / 1000);
  return (date.getFullYear() === new Date().getFullYear() ? dayForm : yearForm).format(date);
}

export function when(time) { return `${day(time)} ${clock(time)}`; }

export function dayNumber(time) {
  const date = new Date(time / 1000);
  return Math.floor((date.getTime() - date.getTimezoneOffset() * 60_000) / 864e5);
}

/// A moment: `@65 Sat 21 Nov 09:12:00`.
export function moment(sequence, time) {
  if (sequence === 0) return 'before everything';
  return time === null || time === undefined ? `@${sequence}` : `@${sequence} ${when(time)}`;
}

/// A rough duration: "2 days".
export function duration(microseconds) {
  const seconds = microseconds / 1e6;
  for (const [unit, length] of [['day', 86_400], ['hour', 3600], ['minute', 60]]) {
    if (seconds >= length) return plural(Math.round(seconds / length), unit);
  }
  return plural(Math.round(seconds), 'second');
}

export function plural(many, word) { return `${count(many)} ${word}${many === 1 ? '' : 's'}`; }

/// Truncates a text without splitting a character.
export function cut(text, max) {
  if (text.length <= max) return text;
  const kept = text.slice(0, max - 1);
  return `${/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept}…`;
}

/// Control characters that a terminal executes when pasted, or that change the display order.
const acted = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/// A value as JSON in one shell word, with unsafe characters escaped.
export function quotedJSON(value) {
  const json = JSON.stringify(value).replace(acted, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return `'${json.replaceAll("'", "'\\''")}'`;
}
