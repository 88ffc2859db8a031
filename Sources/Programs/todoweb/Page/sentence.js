// Describes records and changes in words; unknown actions by their names and fields.

import { count, plural } from './format.js';
import { compact, listed, visible } from './visible.js';

/// Describes a record: `removed 6: Send the invoice`, or what it undid. `changes` and `names` (from `namesIn`) provide titles
/// that the action does not contain.
export function recordSentence(record, changes = [], names = noNames) {
  let sentence = isNamed(record.action) ? actionSentence(record.action, changes, names) : mark(record);
  if (record.undoes !== undefined) sentence += ` (undoes @${record.undoes})`;
  if (record.restores !== undefined) sentence += ` (as it was at @${record.restores})`;
  if (record.merges !== undefined) sentence += ` (merges a fork through @${record.merges})`;
  return sentence;
}

/// Whether the elements of a feature have titles.
export function hasTitles(feature) { return `${feature}.items` in kinds; }

/// Describes an action in the same words.
export function actionSentence(action, changes = [], names = noNames) {
  const path = actionPath(action);
  const payload = path.reduce((part, name) => part[name], action) ?? {};
  const one = () => named(path[0], payload, changes, names);
  return inWords(path, payload, changes, one) ?? plain(path, payload, one);
}

const noNames = () => undefined;
const namesOfLists = new WeakMap();

/// The names of list elements in a state, as a function of feature and id.
export function namesIn(state) {
  return (feature, id) => {
    const list = state[feature]?.items;
    const field = kinds[`${feature}.items`]?.[1];
    if (!Array.isArray(list) || field === undefined) return undefined;
    if (!namesOfLists.has(list)) namesOfLists.set(list, new Map(list.map((element) => [element.id, element[field]])));
    const name = namesOfLists.get(list).get(id);
    return typeof name === 'string' ? visible(name) : undefined;
  };
}

/// The names of the feature and the action: `['todos', 'add']`.
function actionPath(action) {
  const path = [];
  for (let part = action; path.length < 2 && isNamed(part);) {
    const [name] = Object.keys(part);
    path.push(name);
    part = part[name];
  }
  return path;
}

// Whether a value is a record of one field, which acts as a tag.
function isNamed(value) {
  return value !== null && typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length === 1;
}

// `counter increment`, `views remove work`, `shift by 3`; lists and records are omitted because they may be long.
function plain(path, payload, one) {
  const place = path.join('.');
  if (typeof payload !== 'object') return [...path.map(visible), compact(payload, place)].join(' ');
  const { id, ...rest } = payload;
  const details = Object.entries(rest).filter(([, value]) => value === null || typeof value !== 'object');
  const [only] = details;
  const words = details.length === 1 ? compact(only[1], `${place}.${only[0]}`) : compact(Object.fromEntries(details), place);
  return [...path.map(visible), id === undefined ? '' : one(), words].filter((word) => word !== '').join(' ');
}

// The words of actions; others are shown by their names and fields. `{one}` is the element of the id, `{reason}` an error, any
// other name in braces a field. A function gets the fields, the changes, and a function that fills in such words.
const features = {
  __proto__: null,
  todos: {
    add: ({ items = [] }) => `added ${todos(items)}`, loaded: ({ items = [] }) => `loaded ${todos(items)}`,
    putBack: ({ items = [] }) => `put back ${todos(items.map((item) => item.todo ?? item))}`,
    complete: 'completed {one}', reopen: 'opened {one} again', remove: 'removed {one}',
    move: (payload, changes, say) => say('moved {one}') + place(payload, changes),
    edit: (payload, changes, say) => `changed ${edited(payload, changes, say)}`,
    submit: 'added what was typed', clearCompleted: (payload, changes) => cleared(payload, changes),
    updateText: ({ text }, _, say) => text === '' ? 'emptied the draft' : say('typed: {text}'),
    load: 'asked for todos to be loaded', loadFailed: 'could not load todos: {reason}',
    reminded: 'reminded of {one}', remindFailed: 'could not remind of {one}: {reason}',
    remindCancelled: 'cancelled the reminder of {one}',
  },
  counter: {
    increment: (_, changes) => `counted up${counted(changes)}`, decrement: (_, changes) => `counted down${counted(changes)}`,
    reset: 'set the counter to 0',
    shift: ({ by = 0 }, changes) => `counted ${by < 0 ? 'down' : 'up'} by ${Math.abs(by)}${counted(changes)}`,
  },
  alerts: {
    raise: 'alert: {text}', dismiss: 'dismissed the alert {one}', dismissAll: 'dismissed all alerts',
    restore: 'put back the alerts',
  },
};

// An action in the words of its feature; undefined for an unknown one.
function inWords([feature, name], payload, changes, one) {
  const words = features[feature]?.[name];
  const say = (text) => text.replace(/\{(\w+)\}/g, (_, field) => field === 'one' ? one()
    : visible(payload[field] ?? (field === 'reason' ? 'no reason given' : '')));
  return typeof words === 'function' ? words(payload, changes, say) : words === undefined ? undefined : say(words);
}

function counted(changes) {
  const now = changes.find(({ path }) => path === 'counter')?.new?.count;
  return now === undefined ? '' : ` to ${now}`;
}

function todos(items) {
  if (items.length === 1) return items[0].id === undefined ? title(items[0]) : `${items[0].id}: ${title(items[0])}`;
  return plural(items.length, 'todo') + (items.length === 0 ? '' : `: ${listed(items.slice(0, 3).map(title), 3, items.length)}`);
}

function title(todo) { return todo.title === undefined ? compact(todo, 'todos') : visible(todo.title); }

// `6: Send the invoice`; only the number if the title is unknown.
function named(feature, payload, changes, names) {
  const id = payload.id ?? payload.index ?? '';
  const change = changes.find((other) => other.path === `${feature}.items` && other.id === id);
  const name = (change === undefined ? undefined : thingOf(change)?.name) ?? names(feature, payload.id);
  if (name === undefined) return visible(String(id));
  return feature === 'todos' ? `${id}: ${name}` : name;
}

// `4: Call the bank (due Thu 26 Nov → none)`; without the changes, the given fields.
function edited({ id, ...fields }, changes, say) {
  const change = changes.find((other) => other.path === 'todos.items' && other.id === id);
  if (change?.old === undefined || change.new === undefined) return `${say('{one}')} (${compact(fields, 'todos')})`;
  const differences = todoDifferences(change.old, change.new).join(', ');
  if (change.old.title !== change.new.title) return `${id}: ${differences}`;
  return `${id}: ${title(change.new)}${differences === '' ? '' : ` (${differences})`}`;
}

function place(payload, changes) {
  const change = changes.find(({ path, kind, id }) => path === 'todos.items' && kind === 'move' && id === payload.id);
  return change === undefined ? ` to place ${(payload.index ?? 0) + 1}` : ` (place ${change.from + 1} → ${change.at + 1})`;
}

function cleared(payload, changes) {
  const gone = changes.filter(({ path, kind }) => path === 'todos.items' && kind === 'remove').map((change) => change.old);
  return `cleared ${gone.length === payload.ids?.length ? todos(gone) : plural(payload.ids?.length ?? 0, 'todo')}`;
}

// The description of a record without an action.
function mark(record) {
  const { kind, at, expression, before = {}, after = {}, piece = 0, done = 0, total, outcome } = record;
  const why = record.reason === undefined ? '' : `: ${visible(record.reason)}`;
  const [bookmark, invariant] = [visible(record.bookmark ?? ''), visible(record.invariant ?? '')];
  const words = {
    bookmark: at === undefined ? `removed the bookmark ${bookmark}` : `set the bookmark ${bookmark} at @${at}`,
    invariant: expression === undefined ? `removed the invariant ${invariant}`
      : `set the invariant ${invariant}: ${visible(expression)}`,
    hold: 'held all commands', release: 'released the commands', lock: `locked the log${why}`, unlock: 'unlocked the log',
    epoch: 'began a new epoch', end: `${ends[outcome] ?? `it was ${visible(outcome ?? 'ended')}`}${why}`,
    edit: `gave the command of @${record.cause?.sequence} other arguments: ${differences(before, after).join(', ')}`,
    piece: `piece ${piece + 1}: ${count(done)}${total === undefined ? '' : ` of ${count(total)}`} done`,
  };
  return words[kind] ?? visible(kind) + why;
}

const ends = { result: 'it is done', superseded: 'a later one replaced it', failed: 'it failed' };

/// A change: `+ 6: Send the invoice`, `4: due Thu 26 Nov → none`, `counter: 1 → 2`.
export function changeSentence(change) {
  const thing = thingOf(change);
  const isTodo = change.path === 'todos.items';
  const id = change.id === undefined ? '' : `${change.id}: `;
  const element = change.new ?? change.old ?? {};
  const plainName = `${visible(change.path)} ${id}${compact(element, change.path)}`;
  const name = isTodo ? `${id}${title(element)}` : thing === undefined ? plainName : thing.noun + thing.name;
  switch (change.kind) {
    case 'insert': return `+ ${name}`;
    case 'remove': return `− ${name}`;
    case 'move': {
      const moved = change.new === undefined && change.old === undefined ? `${visible(change.path)} ${change.id ?? ''}` : name;
      return `${isTodo ? `Todo ${change.id}` : moved}: place ${(change.from ?? 0) + 1} → ${(change.at ?? 0) + 1}`;
    }
    case 'replace': {
      const [old, now] = [change.old ?? {}, change.new ?? {}];
      const differs = isTodo ? todoDifferences(old, now) : [];
      const what = (differs.length > 0 ? differs : differences(old, now, change.path)).join(', ');
      if (isTodo) return old.title === now.title ? `${name}: ${what}` : `${id}${what}`;
      return `${thing === undefined ? `${visible(change.path)} ${change.id ?? ''}` : name}: ${what}`;
    }
    default: return set(change);
  }
}

function set({ path, old = {}, new: now = {} }) {
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].map((name) => {
    const whole = path === '' ? name : `${path}.${name}`;
    const value = (record) => name in record ? compact(record[name], whole) : 'none';
    return `${fieldWords[whole] ?? visible(whole)}: ${value(old)} → ${value(now)}`;
  }).join(', ');
}

/// Whether a change is of internal fields, such as the next id or the next page.
export function isInternal({ path, kind, old, new: now }) {
  const names = Object.keys(now ?? old ?? {});
  return kind === 'set' && path !== 'stars.items' && names.length === 1 && internals.has(names[0]);
}

const internals = new Set(['nextID', 'nextPage', 'loading', 'isLive', 'timedOut', 'languages']);

const fieldWords = { 'counter.count': 'counter', 'todos.draft': 'draft', 'repositories.language': 'language' };

/// The path of a change: `todos.items[4]`, `counter.count`.
export function changePath({ path, kind, id, at, old, new: now }) {
  if (kind !== 'set') return `${path}[${id === undefined ? `@${at}` : typeof id === 'string' ? JSON.stringify(id) : id}]`;
  const names = Object.keys(now ?? old ?? {});
  return names.length === 1 ? (path === '' ? names[0] : `${path}.${names[0]}`) : path;
}

/// `the title of todo 5` for `todos.items[5].title`; otherwise the path.
export function placeName(path) {
  const match = /^todos\.items\[(\d+)\](?:\.(\w+))?$/.exec(path);
  if (match === null) return fieldWords[path] ?? visible(path);
  return `${match[2] === undefined ? '' : `the ${match[2]} of `}todo ${match[1]}`;
}

// Lists with known element types, and the fields that identify an element.
const kinds = {
  'todos.items': ['', 'title'], 'views.items': ['the view ', 'name'], 'posts.items': ['the post ', 'title'],
  'alerts.items': ['the alert ', 'text'], 'repositories.items': ['the repository ', 'fullName'],
  'flows.items': ['the question ', 'kind'],
};

/// The element that a change is about: `{noun, name}`; undefined if it has no name.
function thingOf({ path, old, new: now }) {
  const [noun, field] = kinds[path] ?? [];
  const name = field === undefined ? undefined : (now ?? old)?.[field];
  return typeof name === 'string' ? { noun, name: visible(name) } : undefined;
}

// The differences between two todos: `due Thu 26 Nov → none`, `+work`, `done`.
function todoDifferences(old, now) {
  const { title: before, completed: wasDone, tags: oldTags = [], note: oldNote, ...oldRest } = old;
  const { title: after, completed: isDone, tags: newTags = [], note: newNote, ...newRest } = now;
  const found = before === after ? [] : [`${title(old)} → ${title(now)}`];
  if ((wasDone === undefined) !== (isDone === undefined)) found.push(isDone === undefined ? 'open again' : 'done');
  found.push(...differences(oldRest, newRest, 'todos'));
  for (const tag of newTags) if (!oldTags.includes(tag)) found.push(`+${visible(tag)}`);
  for (const tag of oldTags) if (!newTags.includes(tag)) found.push(`-${visible(tag)}`);
  if (oldNote !== newNote) found.push((newNote ?? '') === '' ? 'note removed' : 'note changed');
  return found;
}

function differences(old, now, path = '') {
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  return names.filter((name) => JSON.stringify(old[name]) !== JSON.stringify(now[name])).map((name) =>
    `${visible(name)} ${compact(old[name], `${path}.${name}`)} → ${compact(now[name], `${path}.${name}`)}`);
}
