// What-if: replays the log with the edits of `model.alterations`, compares both histories, and applies the result as one undoable
// step.

import { button, fill, h } from './dom.js';
import { count, plural } from './format.js';
import { commandSentence } from './order.js';
import { changeList, newest, note, problem, recordLink, section, whileShown } from './panel.js';
import { propose } from './propose.js';
import { actionSentence } from './sentence.js';
import { visible } from './visible.js';
import { stream } from './wire.js';

const pauseMilliseconds = 200;
const changesMax = 1000;
const rowsMax = 120;

export function mount(element, context) {
  const { model, actions } = context;
  const status = note();
  const list = h('ul', { class: 'alterations', ariaLabel: 'What is different' });
  const result = h('div', { class: 'content' });
  const apply = button('Apply…', applyAll, { class: 'primary' });
  const clear = button('Put everything back', () => model.set({ alterations: [] }));
  const buttons = h('div', { class: 'choice' }, apply, clear);
  const other = button('Change or add an action…', () => actions.openPanel('dispatch'));
  const question = newest({ pause: pauseMilliseconds, run: read, onError: refused });
  let wrongAt = null;
  let shown = '';
  fill(element, h('p', { class: 'hint' }, 'The state if history had been different. Nothing is written until you apply it. '
    + 'w leaves out the shown record. For another action go to its moment and write it.'), other,
  list, status.element, result, buttons);
  model.on('redactions', () => { shown = ''; fill(result); });
  whileShown(element, model, ['alterations', 'moment', 'live', 'epoch', 'readOnly', 'connection'], update);

  function update() {
    const isEmpty = model.alterations.length === 0;
    buttons.hidden = isEmpty;
    apply.hidden = model.readOnly;
    showList();
    if (isEmpty) {
      question.stop();
      shown = '';
      fill(result);
      return status.say('');
    }
    // In the present the result is not updated when the log grows, only when an edit changes.
    const wish = JSON.stringify([model.alterations, model.live ? 'now' : model.moment, model.epoch, model.connection]);
    if (model.connection !== 'up') return status.say('The daemon is away. The result follows when it is back.');
    if (wish === shown || model.epoch === null) return;
    shown = wish;
    wrongAt = null;
    status.say('…');
    question.ask(model.alterations, model.live ? null : model.moment);
  }

  function showList() {
    fill(list, model.alterations.map((alteration, index) => h('li', {}, h('span', {}, inWords(alteration)),
      button('✕', () => { withdraw(model, alteration); other.focus(); },
        { ariaLabel: `Put it back: @${recordOf(alteration)}` }),
      wrongAt?.index === index ? h('span', { class: 'wrong' }, problem(wrongAt.error)) : null)));
  }

  function inWords(alteration) {
    const logged = actions.records.get(recordOf(alteration));
    const record = logged === undefined ? `@${recordOf(alteration)}` : recordLink(logged, context);
    if (alteration.skip !== undefined) return ['Without ', record];
    const sentence = `: ${actionSentence(alteration.action)}`;
    if (alteration.edit !== undefined) return ['Instead of ', record, sentence];
    return [alteration.insert === 0 ? 'Before all records' : ['After ', record], sentence];
  }

  function refused(error) {
    const index = error.parameters?.alteration ?? error.parameters?.action;
    wrongAt = index === undefined ? null : { index, error };
    showList();
    fill(result);
    if (wrongAt === null) status.fail(error); else status.say('');
  }

  async function read(signal, alterations, at) {
    let answer = null;
    const changes = [];
    await stream('WhatIf', { alterations, ...at === null ? {} : { at: { sequence: at } } }, (reply) => {
      if (reply.to !== undefined) answer = reply;
      else if (answer === null) status.say(`Replayed ${count(reply.reached)} of ${count(at ?? model.head)} records…`);
      changes.push(...(reply.changes ?? []).slice(0, changesMax - changes.length));
    }, { signal });
    if (answer === null) throw new Error('The daemon did not answer.');
    const histories = await bothHistories(answer, context);
    if (signal.aborted) return;
    status.say(summary(answer, changes.length));
    fill(result,
      section('Both histories', histories, answer.cut ? h('p', { class: 'hint' }, 'There is more than is shown.') : null),
      section('Commands', commandLists(answer)),
      section(`The state at @${answer.to}`, changeList(changes)));
  }

  async function applyAll() {
    const answer = await propose(context, {
      method: 'ApplyWhatIf', input: { alterations: model.alterations }, title: 'Change the present to this?', yes: 'Apply',
      done: 'Applied the what-if history.', nothing: 'Nothing would change: the present is the same already.',
      onError: (error) => { if (error.parameters?.alteration === undefined) return false; refused(error); return true; },
    });
    if (answer !== null) model.set({ alterations: [] });
  }
}

export function leaveOut(model, sequence) { add(model, { skip: sequence }); }

export function switchRecord(model, sequence) {
  const there = model.alterations.find(({ skip }) => skip === sequence);
  if (there === undefined) leaveOut(model, sequence); else withdraw(model, there);
}

/// Adds an edit. Only the newest edit of a record counts.
export function add(model, alteration) {
  const rest = model.alterations.filter((other) => alteration.insert !== undefined || recordOf(other) !== recordOf(alteration)
    || other.insert !== undefined);
  model.set({ alterations: [...rest, alteration] });
}

function withdraw(model, alteration) {
  model.set({ alterations: model.alterations.filter((other) => other !== alteration) });
}

function recordOf(alteration) { return alteration.skip ?? alteration.edit ?? alteration.insert; }

function summary({ from, to, skipped = 0, vanished = 0 }, changes) {
  const parts = [from === 0 ? 'They differ from the first record on.' : `Both are the same until @${from}.`];
  if (skipped > 0) parts.push(`${plural(skipped, 'record')} left out.`);
  if (vanished > 0) parts.push(`${plural(vanished, 'record')} missing with the commands that brought them.`);
  parts.push(`At @${to}: ${changes === changesMax ? 'at least ' : ''}${plural(changes, 'difference')}.`);
  return parts.join(' ');
}

// A table of the records that differ.
async function bothHistories({ records = [] }, context) {
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

// The commands that would not have run, and those that would have.
function commandLists({ notRun = [], wouldRun = [] }) {
  const line = (name, sign, command, from, note = '') => h('li', { class: name }, `${sign} ${commandSentence(command)}`,
    h('span', { class: 'hint' }, ` (requested by @${from}${note})`));
  if (notRun.length + wouldRun.length === 0) return h('p', { class: 'hint' }, 'The same commands would have run.');
  return h('ul', { class: 'sentences' },
    notRun.map(({ command, outcome }) => line('not', '− would not', command, command.id.sequence,
      outcome === undefined ? '' : `; in the log: ${visible(outcome)}`)),
    wouldRun.map(({ command, sequence, insertion }) => line('would', '+ would', command,
      `${sequence}${insertion > 0 ? `.${insertion}` : ''}`)));
}
