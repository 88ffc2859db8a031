// Describes commands, steps and results of changes.

import { count, plural } from './format.js';
import { changeSentence, isInternal, placeName, thingOf } from './sentence.js';
import { capitalised, compact, dueText, listed, visible } from './visible.js';

const listedMax = 20;

/// Describes a command: `remind you of todo 4 on Thu 26 Nov 09:00`; for unknown ones the name and arguments.
export function commandSentence({ name, arguments: given }, titles = new Map()) {
  const todo = titles.get(given.id) ?? `todo ${given.id}`;
  const id = visible(String(given.id ?? ''));
  const words = {
    'todos.load': 'load the todos', 'todos.forget': `no longer remind you of ${todo}`,
    'todos.remind': `remind you of ${todo}${given.time === undefined ? '' : ` on ${dueText(given.time)}`}`,
    'posts.fetch': 'fetch the posts', 'stars.star': `star ${id}`, 'stars.unstar': `remove the star of ${id}`,
    'repositories.fetch': `list the repositories for ${visible(given.language ?? '')}`,
    'repositories.languages': 'list the languages', 'repositories.cancelLanguages': 'no longer ask for the languages',
    'flows.timeOut': `end question ${id} when its time is over`, 'flows.keep': `no longer end question ${id} by itself`,
  };
  return words[name] ?? `${visible(name)} ${compact(given, name)}`.trim();
}

/// The status of a command: `waits`, `is parked: no network`, `ended`.
export function commandStatus({ fate, stage, attempts = 0, reason, held }, outcome) {
  const why = reason === undefined ? '' : `: ${visible(reason)}`;
  const tried = attempts > 1 ? ` after ${count(attempts)} attempts` : '';
  switch (fate) {
    case 'shown': return 'was for the client that asked';
    case 'none': return 'only cancelled others';
    case 'ended': return outcomes[outcome] ?? 'has ended';
    case 'open':
      if (held === true) return 'is held until it is released';
      return (stages[stage] ?? `is ${visible(stage ?? 'open')}`) + tried + why;
    default: return visible(fate);
  }
}

const stages = { waiting: 'waits', started: 'is under way', parked: 'is parked' };
const outcomes = {
  result: 'was done', failed: 'failed', skipped: 'was skipped', cancelled: 'was cancelled', superseded: 'was superseded by a later one',
};

/// The preview of a change as sentences: changes, commands, and completed effects.
export function answerSentences(answer) {
  const lines = changeSentences(answer.changes);
  const titles = titlesOf(answer.changes ?? []);
  const commands = answer.commands ?? [];
  for (const command of commands) lines.push(`It would ${commandSentence(command, titles)}.`);
  if (answer.commandsLeftOut > 0) lines.push(`And ${plural(answer.commandsLeftOut, 'more command')}.`);
  for (const { command, certain } of answer.effects ?? []) {
    const what = commandSentence(command, titles);
    lines.push(certain ? `This already happened outside and stays: ${what}.`
      : `This had begun and was cancelled; it may have happened: ${what}.`);
  }
  if (answer.effectsLeftOut > 0) lines.push(`And ${plural(answer.effectsLeftOut, 'more command')} that had begun, or ended.`);
  return lines;
}

// The first changes as sentences and the number of others. Without changes: that there are too many.
function changeSentences(changes) {
  if (changes === undefined || changes === null) return ['There are more changes than one answer holds.'];
  const visibleChanges = changes.filter((change) => !isInternal(change));
  const lines = visibleChanges.slice(0, listedMax).map(changeSentence);
  if (visibleChanges.length > listedMax) lines.push(`and ${plural(visibleChanges.length - listedMax, 'more change')}`);
  return lines;
}

export function isNothing({ changes, commands = [] }) { return changes?.length === 0 && commands.length === 0; }

function titlesOf(changes) {
  const titles = new Map();
  for (const change of changes) {
    const thing = change.path === 'todos.items' ? thingOf(change) : undefined;
    if (thing !== undefined) titles.set(change.id, thing.name);
  }
  return titles;
}

/// The conflicts of an error ChangedSince: the message, and a line for each place.
export function conflictSentences({ conflicts = [], leftOut }) {
  const places = [...new Set(conflicts.map(({ path }) => placeName(path)))];
  const verb = places.length === 1 && conflicts.length === 1 ? 'has' : 'have';
  const what = listed(places, 3);
  const lines = [`${capitalised(what)} ${verb} changed since. Nothing was done.`];
  for (const { path, expected, found } of conflicts) {
    lines.push(`${placeName(path)}: ${valueOf(expected, path)} was expected, ${valueOf(found, path)} is there`);
  }
  if (leftOut > 0) lines.push(`and ${plural(leftOut, 'more place')}`);
  return lines;
}

// An element, or the field "value" for other values; omitted if absent.
function valueOf(held, path) {
  if (held === undefined || held === null) return 'nothing';
  const names = Object.keys(held);
  if (names.length === 1 && names[0] === 'value') return compact(held.value, path);
  return typeof held.title === 'string' ? visible(held.title) : compact(held, path);
}
