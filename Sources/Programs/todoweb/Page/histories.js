// Original and altered history: records and commands.

import { h } from './dom.js';
import { commandSentence } from './order.js';
import { recordLink } from './panel.js';
import { actionSentence } from './sentence.js';
import { visible } from './visible.js';

const rowsMax = 120;

/// A table of the records that differ.
export async function bothHistories({ records = [] }, context) {
  const { records: cache } = context.actions;
  const rows = await Promise.all(records.slice(0, rowsMax).map(async (altered) => {
    const { sequence, insertion, kind } = altered;
    const record = insertion > 0 ? undefined : await cache.load(sequence);
    const isGone = ['skipped', 'vanished', 'replaced'].includes(kind);
    return h('tr', {}, h('th', { scope: 'row', class: 'at' }, `@${sequence}${insertion > 0 ? `.${insertion}` : ''}`),
      h('td', {}, record === undefined ? 'not there' : recordLink(record, context, undefined, { isNumbered: false })),
      h('td', { class: isGone ? 'not' : 'came' }, wouldBe(altered)));
  }));
  const heads = ['Record', 'As it was', 'As it would be'];
  return h('table', { class: 'both' }, h('thead', {}, h('tr', {}, heads.map((name, index) =>
    h('th', { scope: 'col', class: index === 0 ? 'at' : null }, name)))), h('tbody', {}, rows));
}

function wouldBe({ kind, actions }) {
  const what = actions.map((action) => actionSentence(action)).join(', ');
  switch (kind) {
    case 'skipped': return 'left out';
    case 'vanished': return 'missing, like the command that brought it';
    case 'replaced': return 'part of the record that replaces it';
    case 'edited': return what === '' ? 'does nothing' : what;
    case 'inserted': return what;
    case 'anew': return what === '' ? 'undoes nothing' : `undoes: ${what}`;
    case 'outdated': return `can’t be recomputed and stays: ${what}`;
    case 'ended': return `the end of a command: ${what}`;
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
