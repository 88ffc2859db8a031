// Describes commands, steps and results of changes.

import { count, plural } from './format.js';
import { placeName } from './sentence.js';
import { capitalised, compact, dueText, visible } from './visible.js';

/// Describes a command: `remind you of todo 4 on Thu 26 Nov 09:00`; for unknown ones the name and arguments.
export function commandSentence({ name, arguments: given }) {
  const id = visible(String(given.id ?? ''));
  const words = {
    'todos.load': 'load the todos', 'todos.forget': `no longer remind you of todo ${given.id}`,
    'todos.remind': `remind you of todo ${given.id}${given.time === undefined ? '' : ` on ${dueText(given.time)}`}`,
    'posts.fetch': 'fetch the posts', 'stars.star': `star ${id}`, 'stars.unstar': `remove the star of ${id}`,
    'repositories.fetch': `list the repositories for ${visible(given.language ?? '')}`,
    'repositories.languages': 'list the languages', 'repositories.cancelLanguages': 'no longer ask for the languages',
    'flows.timeOut': `end question ${id} when its time is over`, 'flows.keep': `no longer end question ${id} by itself`,
  };
  return words[name] ?? `${visible(name)} ${compact(given, name)}`.trim();
}

/// The status of a command: `waits`, `is parked: no network`, `ended`.
export function commandStatus({ fate, stage, attempts = 0, reason, held }, outcome) {
  if (fate === 'ended') return outcomes[outcome] ?? 'has ended';
  if (fate !== 'open') return fates[fate] ?? visible(fate);
  if (held === true) return 'is held until it is released';
  const tried = attempts > 1 ? ` after ${count(attempts)} attempts` : '';
  return (stages[stage] ?? `is ${visible(stage ?? 'open')}`) + tried + (reason === undefined ? '' : `: ${visible(reason)}`);
}

const fates = { shown: 'was for the client that asked', none: 'only cancelled others' };
const stages = { waiting: 'waits', started: 'is running', parked: 'is parked' };
const outcomes = {
  result: 'succeeded', failed: 'failed', skipped: 'was skipped', cancelled: 'was cancelled', superseded: 'was superseded',
};

/// The commands of a preview, and the completed effects, as sentences.
export function effectSentences({ commands = [], commandsLeftOut, effects = [], effectsLeftOut }) {
  const lines = commands.map((command) => `It would ${commandSentence(command)}.`);
  if (commandsLeftOut > 0) lines.push(`And ${plural(commandsLeftOut, 'more command')}.`);
  for (const { command, certain } of effects) {
    lines.push(certain ? `This already happened outside and stays: ${commandSentence(command)}.`
      : `This had begun and was cancelled; it may have happened: ${commandSentence(command)}.`);
  }
  if (effectsLeftOut > 0) lines.push(`And ${plural(effectsLeftOut, 'more command')} that had begun, or ended.`);
  return lines;
}

export function isNothing({ changes, commands = [] }) { return changes?.length === 0 && commands.length === 0; }

/// The conflicts of an error ChangedSince, a line for each.
export function conflictSentences({ conflicts = [], leftOut }) {
  const value = (held, path) => held === undefined ? 'nothing' : held.title !== undefined ? visible(held.title)
    : compact('value' in held ? held.value : held, path);
  const lines = conflicts.map(({ path, expected, found }) =>
    `${capitalised(placeName(path))}: ${value(expected, path)} was expected, ${value(found, path)} is there`);
  return leftOut > 0 ? [...lines, `and ${plural(leftOut, 'more place')}`] : lines;
}
