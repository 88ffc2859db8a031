// Parses common moments in words, like `todoctl`.

/// The accepted forms, for error messages.
export const momentForms = 'Write a record (65), @-3, a bookmark, friday noon, yesterday 9:00, 10 min ago or 2026-11-20 14:30.'
  + ' Append ~3 for three records earlier.';

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const minuteMilliseconds = 60_000;
const lengths = { second: 1000, minute: minuteMilliseconds, hour: 60 * minuteMilliseconds };
/// Lower numbers are sequence numbers. As microseconds this is in March 1973.
const timeMin = 1e14;

/// A point for the daemon; unknown words are taken as a bookmark.
export function pointOf(words, now) {
  const [, text, before] = /^(.*?)(?: ?~ ?(\d+))?$/.exec(words.trim().replaceAll(/\s+/g, ' '));
  return before === undefined ? place(text, now) : { ...place(text, now), before: Number(before) };
}

function place(text, now) {
  const [, at, sign, digits] = /^(@?)(-?)(\d+)$/.exec(text) ?? [];
  if (sign === '-') return { back: Number(digits) };
  if (digits !== undefined && (at === '@' || Number(digits) < timeMin)) return { sequence: Number(digits) };
  if (digits !== undefined) return { time: Number(digits) };
  const word = text.toLowerCase();
  if (['now', 'head'].includes(word)) return { bookmark: 'now' };
  if (['start', 'base'].includes(word)) return { bookmark: 'start' };
  const time = timeInWords(word, now);
  // A current span ends now.
  return time === null ? { bookmark: text } : time >= now.getTime() ? { bookmark: 'now' } : { time: time * 1000 };
}

/// Milliseconds since 1970 at the end of the named day, minute or second, or now if it is current. Null for other texts and the
/// future.
function timeInWords(text, now) {
  const words = text.toLowerCase().replace(/^(\d{4}-\d\d-\d\d)t/, '$1 ').split(' ').filter((word) => word !== 'at');
  const ago = shifted(words, now);
  if (ago !== null) return ago;
  for (const [dayWords, clockWord] of [[words], [words.slice(0, -1), words.at(-1)], [words.slice(1), words[0]]]) {
    const clock = clockWord === undefined ? undefined : clockOf(clockWord);
    const day = dayWords.length === 0 ? nearest(clock, now) : dayOf(dayWords, now);
    if (clock === null || day === null) continue;
    const [first, last] = span(day, clock);
    if (first <= now.getTime()) return Math.min(last, now.getTime());
  }
  return null;
}

// The first and last millisecond of a day, or of a time of day.
function span(day, clock) {
  const [year, month, date] = [day.getFullYear(), day.getMonth(), day.getDate()];
  if (clock === undefined) return [new Date(year, month, date).getTime(), new Date(year, month, date + 1).getTime() - 1];
  const first = new Date(year, month, date, clock.hour, clock.minute, clock.second).getTime();
  return [first, first + clock.length - 1];
}

function shifted(words, now) {
  const match = /^(?:(\d{1,6}) ?|(an?|one) )([a-z]+)(?: ago)?$/.exec(words.join(' '));
  const unit = match === null ? null : unitOf(match[3]);
  if (unit === null) return null;
  const many = Number(match[1] ?? 1);
  if (unit in lengths) return now.getTime() - many * lengths[unit];
  const then = new Date(now);
  if (unit === 'day' || unit === 'week') then.setDate(then.getDate() - many * (unit === 'week' ? 7 : 1));
  else {
    then.setDate(1);
    then.setMonth(then.getMonth() - many * (unit === 'year' ? 12 : 1));
    // A month after 31 January is the last day of February.
    then.setDate(Math.min(now.getDate(), new Date(then.getFullYear(), then.getMonth() + 1, 0).getDate()));
  }
  return Number.isNaN(then.getTime()) ? null : then.getTime();
}

function unitOf(word) {
  const short = { s: 'second', sec: 'second', min: 'minute', h: 'hour', hr: 'hour', d: 'day', w: 'week', mo: 'month', y: 'year' };
  const one = word.length > 1 ? word.replace(/s$/, '') : word;
  return short[one] ?? (Object.values(short).includes(one) ? one : null);
}

// `9:00`, `9:00:05`, `9am`, `9:15pm`, `noon`; otherwise null.
function clockOf(word) {
  const text = { noon: '12:00', midnight: '0:00' }[word] ?? word;
  const [, hour, minute, second, half] = /^(\d{1,2})(?::(\d\d)(?::(\d\d))?)?(am|pm)?$/.exec(text) ?? [];
  if (hour === undefined || minute === undefined && half === undefined || minute > 59 || second > 59) return null;
  if (half === undefined ? hour > 23 : hour < 1 || hour > 12) return null;
  return { hour: half === undefined ? Number(hour) : hour % 12 + (half === 'pm' ? 12 : 0), minute: Number(minute ?? 0),
    second: Number(second ?? 0), length: second === undefined ? minuteMilliseconds : 1000 };
}

// The latest day on which this time has passed, or null.
function nearest(clock, now) {
  if (clock === null || clock === undefined) return null;
  return span(now, clock)[0] <= now.getTime() ? now : daysBefore(now, 1);
}

// `today`, `yesterday`, `friday`, `last friday`, `2026-11-20`, `20.11.`, `20.11.2026`.
function dayOf(words, now) {
  const text = words.join(' ');
  if (text === 'today') return now;
  if (text === 'yesterday') return daysBefore(now, 1);
  const name = /^(?:last )?([a-z]{3,})$/.exec(text)?.[1];
  const weekday = name === undefined ? -1 : weekdays.findIndex((day) => day.startsWith(name));
  // The last one, never today.
  if (weekday >= 0) return daysBefore(now, (now.getDay() - weekday + 6) % 7 + 1);
  const iso = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (iso !== null) return written(iso[1], iso[2], iso[3]);
  const dotted = /^(\d{1,2})\.(\d{1,2})\.(\d{4})?$/.exec(text);
  if (dotted === null) return null;
  const [, date, month, year] = dotted;
  if (year !== undefined) return written(year, month, date);
  for (let back = 0; back <= 8; back++) {
    const found = written(now.getFullYear() - back, month, date);
    if (found !== null && found <= now) return found;
  }
  return null;
}

function daysBefore(now, days) { return new Date(now.getFullYear(), now.getMonth(), now.getDate() - days); }

// Excludes dates such as 30 February.
function written(year, month, date) {
  const day = new Date(Number(year), Number(month) - 1, Number(date));
  return day.getMonth() === Number(month) - 1 && day.getDate() === Number(date) ? day : null;
}
