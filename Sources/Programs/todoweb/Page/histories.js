// Original and altered history side by side: records, commands and final states.

import { h } from './dom.js';
import { plural } from './format.js';
import { commandSentence } from './order.js';
import { recordLink } from './panel.js';
import { actionSentence, changePath, changeSentence, isInternal, placeName, thingOf } from './sentence.js';
import { compact, visible } from './visible.js';

const rowsMax = 120;

/// A table of the records from the divergence to the compared moment.
export async function bothHistories({ from, to, records = [] }, context) {
  const { actions } = context;
  const altered = new Map();
  const inserted = new Map();
  for (const record of records) {
    if (record.insertion > 0) inserted.set(record.sequence, [...inserted.get(record.sequence) ?? [], record]);
    else altered.set(record.sequence, record);
  }
  const seen = [...new Set([...altered.keys(), ...inserted.keys()].flatMap((sequence) => [sequence - 1, sequence, sequence + 1]))]
    .filter((sequence) => sequence > from && sequence <= to || altered.has(sequence) || inserted.has(sequence))
    .sort((a, b) => a - b).slice(0, rowsMax);
  const logged = new Map(await Promise.all(seen.map(async (sequence) => [sequence, await actions.records.load(sequence)])));
  const rows = [];
  let last = from;
  const gap = (next) => {
    const between = next - last - 1;
    if (between > 0) rows.push(h('tr', { class: 'gap' }, h('td', { colspan: 3 }, `${plural(between, 'record')} in both`)));
  };
  for (const sequence of seen) {
    gap(sequence);
    if (sequence > 0) rows.push(row(logged.get(sequence), sequence, altered.get(sequence), context));
    for (const other of inserted.get(sequence) ?? []) rows.push(insertedRow(other));
    last = Math.max(last, sequence);
  }
  if (seen.length < rowsMax) gap(to + 1);
  return h('table', { class: 'both' }, h('thead', {}, h('tr', {}, h('th', { scope: 'col', class: 'at' }, 'Record'),
    h('th', { scope: 'col' }, 'As it was'), h('th', { scope: 'col' }, 'As it would be'))), h('tbody', {}, rows));
}

function row(record, sequence, altered, context) {
  const was = record === undefined ? `@${sequence}` : recordLink(record, context, undefined, { isNumbered: false });
  const isGone = ['skipped', 'vanished', 'replaced'].includes(altered?.kind);
  const would = altered === undefined ? h('span', { class: 'none' }, 'the same') : wouldBe(altered);
  return h('tr', {}, h('th', { scope: 'row', class: 'at' }, `@${sequence}`), h('td', {}, was),
    h('td', { class: altered === undefined ? null : isGone ? 'not' : 'came' }, would));
}

function insertedRow(altered) {
  return h('tr', {}, h('th', { scope: 'row', class: 'at' }, `@${altered.sequence}.${altered.insertion}`),
    h('td', { class: 'none' }, 'not here'), h('td', { class: 'came' }, wouldBe(altered)));
}

function wouldBe({ kind, actions }) {
  const what = actions.map((action) => actionSentence(action)).join(', ');
  switch (kind) {
    case 'skipped': return 'never came';
    case 'vanished': return 'goes with the command that brought it';
    case 'replaced': return 'goes with the record that stands for it';
    case 'edited': return what === '' ? 'does nothing' : what;
    case 'inserted': return what;
    case 'anew': return what === '' ? 'undoes nothing' : `undoes: ${what}`;
    case 'outdated': return `can’t be recomputed and stays: ${what}`;
    case 'ended': return `tells of an end: ${what}`;
    default: return `${visible(kind)} ${what}`;
  }
}

/// The commands that would not have run, and those that would have.
export function commandLists({ notRun = [], wouldRun = [] }) {
  if (notRun.length + wouldRun.length === 0) return h('p', { class: 'hint' }, 'The same commands would have run.');
  return h('ul', { class: 'sentences' },
    notRun.map(({ command, reason, outcome }) => {
      const notes = [`asked for by @${command.id?.sequence ?? '?'}`];
      if (reason === 'displaced') notes.push('another takes its place');
      if (outcome !== undefined) notes.push(`in the log: ${visible(outcome)}`);
      return h('li', { class: 'not' }, `− would not ${commandSentence(command)}`,
        h('span', { class: 'hint' }, ` (${notes.join('; ')})`));
    }),
    wouldRun.map(({ command, sequence, insertion, reason }) => h('li', { class: 'would' }, `+ would ${commandSentence(command)}`,
      h('span', { class: 'hint' }, ` (asked for by @${sequence}${insertion > 0 ? `.${insertion}` : ''}`
        + `${reason === 'notDisplaced' ? ', which nothing cancels' : ''})`))));
}

/// The differences of the final states.
export function bothStates(changes) {
  const visibleChanges = changes.filter((change) => !isInternal(change));
  if (visibleChanges.length === 0) return h('p', { class: 'hint' }, 'Everything would be the same.');
  return h('table', { class: 'both' }, h('thead', {}, h('tr', {}, ['Place', 'As it is', 'As it would be'].map((name) =>
    h('th', { scope: 'col' }, name)))), h('tbody', {}, visibleChanges.map((change) => {
    const [was, would] = values(change);
    return h('tr', {}, h('th', { scope: 'row', title: changePath(change) }, placeName(changePath(change))),
      h('td', { class: change.kind === 'remove' ? 'gone' : was === 'not there' ? 'none' : null }, was),
      h('td', { class: would === 'not there' ? 'none' : change.kind === 'insert' ? 'came' : null }, would));
  })));
}

// Both sides of a change; for an element in both, only the differences.
function values(change) {
  const { kind, old = {}, new: now = {} } = change;
  const element = (value) => thingOf({ path: change.path, new: value })?.name ?? compact(value, change.path);
  switch (kind) {
    case 'insert': return ['not there', element(now)];
    case 'remove': return [element(old), 'not there'];
    case 'move': return [`place ${(change.from ?? 0) + 1}`, `place ${(change.at ?? 0) + 1}`];
    case 'replace': {
      const names = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter((name) =>
        JSON.stringify(old[name]) !== JSON.stringify(now[name]));
      const side = (value) => names.map((name) => `${visible(name)} ${compact(value[name], `${change.path}.${name}`)}`).join(', ');
      return names.length > 0 ? [side(old), side(now)] : [changeSentence(change), changeSentence(change)];
    }
    default: {
      const side = (value) => Object.keys(value).length === 0 ? 'not there'
        : Object.entries(value).map(([name, held]) => compact(held, `${change.path}.${name}`)).join(', ');
      return [side(old), side(now)];
    }
  }
}
