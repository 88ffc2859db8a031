// Values in one line, with invisible and directional characters made visible.

import { count, cut, day, when } from './format.js';

const hidden = /[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u2028\u2029\ufff9-\ufffb]/u;
const eachHidden = new RegExp(hidden.source, 'gu');
const names = { '\n': '\\n', '\t': '\\t', '\r': '\\r' };
const textMax = 200;
const partsMax = 12;
/// Fields that hold times, as the daemon names them: `todos.created`.
let times = new Set();
const priorities = ['none', 'low', 'medium', 'high'];

const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
/// Text isolated by `visible`.
const isolates = /\u2068([^\u2066-\u2069]*)\u2069/u;

/// A user's text for a sentence: truncated, with hidden characters visible, and isolated if it is right-to-left.
export function visible(text, { max = textMax } = {}) {
  const whole = shown(cut(String(text), max));
  return rightToLeft.test(whole) ? `\u2068${whole}\u2069` : whole;
}

/// Escapes invisible characters: `\n`, `\u{200b}`. Emoji joiners and variation selectors stay, and line ends if they are
/// displayed as such.
function shown(text, { keepsLines = false } = {}) {
  if (!hidden.test(text)) return text;
  return text.replace(eachHidden, (character, index) => keepsLines && (character === '\n' || character === '\t') ? character
    : escaped(character, index, text));
}

/// The parts of a text with hidden characters visible; every second part is isolated.
export function partsOf(text, options) {
  if (!hidden.test(text)) return [text];
  return text.split(isolates).map((part) => shown(part, options));
}

function escaped(character, index, text) {
  const code = character.codePointAt(0);
  const before = last(text.slice(0, index).replace(/\ufe0f$/, ''));
  const behind = text.slice(index + character.length);
  if (code === 0x200d && isPicture(before) && isPicture(first(behind))) return character;
  if ((code === 0xfe0e || code === 0xfe0f) && /\p{Emoji}/u.test(last(text.slice(0, index)))) return character;
  if (code >= 0xfe00 && code <= 0xfe0d && /\p{Ideographic}/u.test(before)) return character;
  return names[character] ?? `\\u{${code.toString(16)}}`;
}

function first(text) { return text === '' ? '' : String.fromCodePoint(text.codePointAt(0)); }

function last(text) { return [...text.slice(-2)].at(-1) ?? ''; }

// Digits and signs such as © are emoji too, but are never joined.
function isPicture(character) { return character > '\u00ff' && /\p{Emoji}/u.test(character); }

/// Reads the time fields from the daemon's status.
export function knowTimes({ times: names = [] }) { times = new Set(names); }

/// A value in one line: `id 1, title Buy the milk`. Its path, from the feature on, tells a time from a number.
export function compact(value, path = '') {
  const names = path.split('.').filter((part) => part !== '');
  const name = names.at(-1);
  if (value === null || value === undefined) return 'none';
  if (typeof value === 'number' && (times.has(`${names[0]}.${name}`) || times.has(name))) return when(value);
  if (typeof value === 'number') return name === 'priority' ? priorityName(value) : String(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return value === '' ? '""' : name === 'due' || name === 'wait' ? dueText(value) : visible(value);
  if (Array.isArray(value)) return `[${some(value, (element) => nested(element, path))}]`;
  return some(Object.entries(value), ([field, part]) => `${visible(field)} ${nested(part, `${path}.${field}`)}`);
}

function some(parts, tell) {
  const texts = parts.slice(0, partsMax).map(tell);
  if (parts.length > partsMax) texts.push(`${count(parts.length - partsMax)} more`);
  return texts.join(', ');
}

function nested(value, path) {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return compact(value, path);
  return Object.keys(value).length === 0 ? '{}' : `{${compact(value, path)}}`;
}

/// The day of a due date, and its time if present: `2026-11-26T09:00` is `Thu 26 Nov 09:00`.
export function dueText(text) {
  const match = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d:\d\d)(.*))?$/.exec(text ?? '');
  if (match === null) return text === undefined || text === '' ? 'none' : visible(text);
  const [, year, month, date, time, zone] = match;
  const written = day(new Date(Number(year), Number(month) - 1, Number(date)).getTime() * 1000);
  return written + (time === undefined ? '' : ` ${time}`) + visible(zone ?? '');
}

export function priorityName(level) { return priorities[level ?? 0] ?? String(level); }

/// `Milk, Dog and Car`, `Milk, Dog, Car and 9 more`; `many` is the total if not all are given.
export function listed(things, max = 3, many = things.length) {
  if (many > max) return `${things.slice(0, max).join(', ')} and ${count(many - max)} more`;
  return things.length < 2 ? things.join('') : `${things.slice(0, -1).join(', ')} and ${things.at(-1)}`;
}

export function capitalised(text) { return text.charAt(0).toUpperCase() + text.slice(1); }
