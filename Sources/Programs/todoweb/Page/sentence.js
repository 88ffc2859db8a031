// Describes records and changes in words; unknown actions by their names and fields.

import { count } from './format.js';
import { compact, dueText, listed, priorityName, visible } from './visible.js';

/// Describes a record: `removed 6: Send the invoice`, or what it undid. `changes` and `names` (from `namesIn`) provide titles that
/// the action does not contain.
export function recordSentence(record, changes = [], names = noNames) {
  let sentence = said(record, changes, names);
  if (record.undoes !== undefined) sentence += ` (undoes @${record.undoes})`;
  if (record.restores !== undefined) sentence += ` (as it was at @${record.restores})`;
  if (record.merges !== undefined) sentence += ` (merges a fork through @${record.merges})`;
  return sentence;
}

function said(record, changes, names) {
  if (!isNamed(record.action)) return mark(record);
  return actionSentence(record.action, { changes, names, commands: record.commands });
}

/// Describes an action in the same words.
export function actionSentence(action, { changes = [], names = noNames, commands = [] } = {}) {
  const path = actionPath(action);
  const payload = path.reduce((part, name) => part[name], action) ?? {};
  const sentence = path.length === 2 ? features[path[0]]?.(path[1], payload, { changes, names, commands }) : undefined;
  return sentence ?? plain(path, payload);
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
export function actionPath(action) {
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

// `counter increment`, `shift by 3`; lists and records are omitted because they may be long.
function plain(path, payload) {
  const words = path.map(visible);
  const place = path.join('.');
  if (payload === null || typeof payload !== 'object') words.push(compact(payload, place));
  else {
    const details = Object.entries(payload).filter(([, value]) => value === null || typeof value !== 'object');
    words.push(details.length === 1 ? compact(details[0][1], `${place}.${details[0][0]}`)
      : compact(Object.fromEntries(details), place));
  }
  return words.filter((word) => word !== '').join(' ');
}

const features = {
  todos(name, payload, known) {
    const items = payload.items ?? [];
    const one = () => named('todos', payload, known);
    switch (name) {
      case 'add': return `added ${todos(items)}`;
      case 'loaded': return `loaded ${todos(items)}`;
      case 'putBack': return `put back ${todos(items.map((item) => item.todo ?? item))}`;
      case 'complete': return `completed ${one()}`;
      case 'reopen': return `opened ${one()} again`;
      case 'remove': return `removed ${one()}`;
      case 'move': return `moved ${one()}${place(payload, known.changes)}`;
      case 'edit': return `changed ${edited(payload, known)}`;
      case 'submit': return 'added what was typed';
      case 'clearCompleted': return cleared(payload, known.changes);
      case 'updateText': return payload.text === '' ? 'emptied the draft' : `typed: ${visible(payload.text ?? '')}`;
      case 'load': return 'asked for todos to be loaded';
      case 'reminded': return `reminded of ${one()}`;
      case 'remindFailed': return `could not remind of ${one()}: ${reason(payload)}`;
      case 'remindCancelled': return `cancelled the reminder of ${one()}`;
      case 'loadFailed': return `could not load todos: ${reason(payload)}`;
      default: return undefined;
    }
  },

  counter(name, payload, { changes }) {
    const now = changes.find(({ path }) => path === 'counter')?.new?.count;
    const to = now === undefined ? '' : ` to ${now}`;
    switch (name) {
      case 'increment': return `counted up${to}`;
      case 'decrement': return `counted down${to}`;
      case 'reset': return 'set the counter to 0';
      case 'shift': return `counted ${payload.by < 0 ? 'down' : 'up'} by ${Math.abs(payload.by ?? 0)}${to}`;
      default: return undefined;
    }
  },

  alerts(name, payload, known) {
    switch (name) {
      case 'raise': return `alert: ${visible(payload.text ?? '')}`;
      case 'dismiss': return `dismissed the alert ${named('alerts', payload, known)}`;
      case 'dismissAll': return 'dismissed all alerts';
      case 'restore': return 'put back the alerts';
      default: return undefined;
    }
  },

  posts(name, payload, known) {
    switch (name) {
      case 'fetch': return 'asked for the posts';
      case 'more': return 'asked for more posts';
      case 'add': return `made a todo of the post ${named('posts', payload, known)}`;
      case 'set': return `${plural(payload.items, 'post')} arrived`;
      case 'append': return `${plural(payload.items, 'more post')} arrived`;
      case 'failed': return `the posts could not be fetched: ${reason(payload)}`;
      case 'restore': return 'put back the posts';
      default: return undefined;
    }
  },

  stars(name, payload) {
    const id = visible(payload.id ?? '');
    switch (name) {
      case 'press': return `pressed the star button of ${id}`;
      case 'staring': return `starred ${id}`;
      case 'unstaring': return `removed the star of ${id}`;
      case 'starred': return `${id} has the star`;
      case 'unstarred': return `${id} has no star`;
      case 'failed': return `the star of ${id} is unchanged: ${reason(payload)}`;
      default: return undefined;
    }
  },

  repositories(name, payload, known) {
    const language = visible(payload.language ?? '');
    switch (name) {
      case 'reload': return 'asked for the repositories';
      case 'setLanguage': case 'browse': return `chose ${language}`;
      case 'open': {
        const address = known.commands.map((command) => command.arguments.url).find((url) => url !== undefined);
        return `opened ${visible(address ?? `the page of repository ${named('repositories', payload, known)}`)}`;
      }
      case 'loadLanguages': return 'asked for the languages';
      case 'loaded': return `${plural(payload.items, 'repository', 'repositories')} for ${language} arrived`;
      case 'loadFailed': return `the repositories for ${language} could not be listed: ${reason(payload)}`;
      case 'languagesLoaded': return `${plural(payload.languages, 'language')} arrived`;
      case 'languagesFailed': return `the languages could not be listed: ${reason(payload)}`;
      case 'restore': return 'put back the repositories';
      default: return undefined;
    }
  },

  flows(name, payload, known) {
    const question = () => `the question ${named('flows', payload, known)}`;
    switch (name) {
      case 'start': case 'started':
        if (payload.kind === 'language') return 'asked for a language';
        return payload.kind === 'root' ? 'began to ask' : `asked a question: ${visible(payload.kind ?? '')}`;
      case 'answer': return `answered ${question()}: ${visible(payload.text ?? '')}`;
      case 'cancel': return `cancelled ${question()}`;
      case 'ended':
        return payload.result === undefined ? `${question()} was cancelled`
          : `${question()} was answered: ${visible(payload.result)}`;
      case 'offered': return `${question()} has ${plural(payload.options, 'answer')} to choose from`;
      case 'restore': return 'put back the questions';
      case 'timedOut':
        return payload.id === undefined ? 'no question’s time was over lately' : `the time of ${question()} was over`;
      default: return undefined;
    }
  },

  views(name, payload, known) {
    const filter = payload.filter === undefined ? '' : `: ${visible(payload.filter)}`;
    switch (name) {
      case 'save': return `saved the view ${visible(payload.name ?? '')}${filter}`;
      case 'change': return `changed the view ${named('views', payload, known)}${filter}`;
      case 'remove': return `removed the view ${named('views', payload, known)}`;
      case 'restore': return 'put back the views';
      default: return undefined;
    }
  },
};

function reason(payload) { return visible(payload.reason ?? 'no reason given'); }

function plural(list, word, several = `${word}s`) {
  const many = list?.length ?? 0;
  return `${count(many)} ${many === 1 ? word : several}`;
}

function todos(items) {
  if (items.length === 1) return items[0].id === undefined ? title(items[0]) : `${items[0].id}: ${title(items[0])}`;
  return plural(items, 'todo') + (items.length === 0 ? '' : `: ${listed(items.slice(0, 3).map(title), 3, items.length)}`);
}

function title(todo) { return todo.title === undefined ? compact(todo, 'todos') : visible(todo.title); }

// `6: Send the invoice`; only the number if the title is unknown.
function named(feature, payload, { changes, names }) {
  const id = payload.id ?? payload.index ?? '';
  const change = changes.find((other) => other.path === `${feature}.items` && other.id === id);
  const name = (change === undefined ? undefined : thingOf(change)?.name) ?? names(feature, payload.id);
  if (name === undefined) return visible(String(id));
  return feature === 'todos' ? `${id}: ${name}` : name;
}

// `4: Call the bank (due Thu 26 Nov → none)`; without the changes, the given fields.
function edited(payload, known) {
  const { changes } = known;
  const change = changes.find(({ path, id }) => path === 'todos.items' && id === payload.id);
  if (change?.old === undefined || change.new === undefined) {
    const { id, ...fields } = payload;
    const name = fields.title === undefined ? named('todos', payload, known) : String(id);
    return name === String(id) ? `${id}: ${compact(fields, 'todos')}` : `${name} (${compact(fields, 'todos')})`;
  }
  const differences = todoDifferences(change.old, change.new).join(', ');
  if (change.old.title !== change.new.title) return `${payload.id}: ${differences}`;
  return `${payload.id}: ${title(change.new)}${differences === '' ? '' : ` (${differences})`}`;
}

function place(payload, changes) {
  const change = changes.find(({ path, kind, id }) => path === 'todos.items' && kind === 'move' && id === payload.id);
  return change === undefined ? ` to place ${(payload.index ?? 0) + 1}` : ` (place ${change.from + 1} → ${change.at + 1})`;
}

function cleared(payload, changes) {
  const gone = changes.filter(({ path, kind }) => path === 'todos.items' && kind === 'remove').map((change) => change.old);
  return `cleared ${gone.length === payload.ids?.length ? todos(gone) : plural(payload.ids, 'todo')}`;
}

// The description of a record without an action.
function mark(record) {
  const why = record.reason === undefined ? '' : `: ${visible(record.reason)}`;
  switch (record.kind) {
    case 'bookmark':
      return record.at === undefined ? `removed the bookmark ${visible(record.bookmark ?? '')}`
        : `set the bookmark ${visible(record.bookmark ?? '')} at @${record.at}`;
    case 'invariant':
      return record.expression === undefined ? `removed the invariant ${visible(record.invariant ?? '')}`
        : `set the invariant ${visible(record.invariant ?? '')}: ${visible(record.expression)}`;
    case 'hold': return 'held all commands';
    case 'release': return 'released the commands';
    case 'lock': return `locked the log${why}`;
    case 'unlock': return 'unlocked the log';
    case 'epoch': return 'began a new epoch';
    case 'edit':
      return `gave the command of @${record.cause?.sequence ?? '?'} other arguments: `
        + differences(record.before ?? {}, record.after ?? {}).join(', ');
    case 'piece': {
      const total = record.total === undefined ? '' : ` of ${count(record.total)}`;
      return `piece ${(record.piece ?? 0) + 1}: ${count(record.done ?? 0)}${total} done`;
    }
    case 'end': return `${ends[record.outcome] ?? `it was ${visible(record.outcome ?? 'ended')}`}${why}`;
    default: return visible(record.kind) + why;
  }
}

const ends = { result: 'it is done', superseded: 'a later one took its place', failed: 'it failed' };

/// A change: `+ 6: Send the invoice`, `4: due Thu 26 Nov → none`, `counter: 1 → 2`.
export function changeSentence(change) {
  const thing = thingOf(change);
  const isTodo = change.path === 'todos.items';
  const id = change.id === undefined ? '' : `${change.id}: `;
  const element = change.new ?? change.old ?? {};
  const name = isTodo ? `${id}${title(element)}` : thing === undefined ? `${visible(change.path)} ${id}${compact(element, change.path)}`
    : thing.noun + thing.name;
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
  if (kind !== 'set') return id === undefined ? `${path}[@${at}]` : `${path}[${id}]`;
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
export function thingOf({ path, old, new: now }) {
  const [noun, field] = kinds[path] ?? [];
  const name = field === undefined ? undefined : (now ?? old)?.[field];
  return typeof name === 'string' ? { noun, name: visible(name) } : undefined;
}

// The differences between two todos: `due Thu 26 Nov → none`, `+work`, `done`.
function todoDifferences(old, now) {
  const found = [];
  const differs = (name) => JSON.stringify(old[name]) !== JSON.stringify(now[name]);
  const tell = (name, word, form, none = 'none') => {
    if (!differs(name)) return;
    const value = (todo) => todo[name] === undefined || todo[name] === '' ? none : form(todo[name]);
    found.push(`${word} ${value(old)} → ${value(now)}`);
  };
  if (differs('title')) found.push(`${title(old)} → ${title(now)}`);
  const isDone = (todo) => todo.completed !== undefined;
  if (isDone(old) !== isDone(now)) found.push(isDone(now) ? 'done' : 'open again');
  tell('due', 'due', dueText);
  tell('wait', 'waits until', dueText);
  tell('every', 'recurs', visible, 'never');
  tell('remind', 'remind', dueText, 'never');
  if (!differs('remind') && differs('remindBefore')) {
    found.push(now.remindBefore === undefined ? 'reminder stays when the due moves' : 'reminder moves with the due');
  }
  if (differs('reminded') && now.reminded !== undefined) found.push(`reminded ${dueText(now.reminded)}`);
  tell('after', 'after', (ids) => ids.join(', '));
  if (differs('priority')) found.push(`priority ${priorityName(old.priority)} → ${priorityName(now.priority)}`);
  const [before, behind] = [old.tags ?? [], now.tags ?? []];
  for (const tag of behind) if (!before.includes(tag)) found.push(`+${visible(tag)}`);
  for (const tag of before) if (!behind.includes(tag)) found.push(`-${visible(tag)}`);
  if (differs('origin')) found.push('other details from its file');
  if (differs('note')) found.push((now.note ?? '') === '' ? 'note removed' : 'note changed');
  return found;
}

function differences(old, now, path = '') {
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  return names.filter((name) => JSON.stringify(old[name]) !== JSON.stringify(now[name])).map((name) =>
    `${visible(name)} ${compact(old[name], `${path}.${name}`)} → ${compact(now[name], `${path}.${name}`)}`);
}
