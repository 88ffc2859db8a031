// A record: its changes, its commands and their status, and the tree of its causes; and who set the selected value.

import { valueAt } from './changes.js';
import { button, fill, h } from './dom.js';
import { count, when } from './format.js';
import { commandSentence, commandStatus } from './order.js';
import { attended, changeList, link, newest, note, recordLink, refill, section, shownRecord, whileShown, who } from './panel.js';
import { redoStep, revertTo, undoStep } from './propose.js';
import { changePath, placeName } from './sentence.js';
import { capitalised, compact } from './visible.js';
import { leaveOut } from './whatif.js';
import { ask, stream } from './wire.js';

const shownMax = 60;
/// The state has priority during a drag.
const pauseMilliseconds = 120;

export function mount(element, context) {
  const { model, actions } = context;
  const status = note();
  const content = h('div', { class: 'content' });
  fill(element, valueBar(element, context), status.element, content);
  let shown = {};
  const question = newest({ pause: pauseMilliseconds, patience: 1000, run: read,
    onError: (error) => { shown = {}; fill(content); status.fail(error); } });
  const isAttended = attended(content, update);
  let selected = model.record;
  model.on('redactions', () => { shown = {}; fill(content); });
  whileShown(element, model, ['record', 'moment', 'epoch', 'head', 'undone', 'connection', 'readOnly'], update);

  function update() {
    const { epoch, undone, readOnly } = model;
    const stays = model.live && model.record === selected && shown.epoch === epoch && isAttended();
    selected = model.record;
    const sequence = stays ? shown.sequence : shownRecord(model);
    const isSame = Object.entries({ sequence, epoch, undone, readOnly }).every(([name, value]) => shown[name] === value);
    if (epoch === null || model.connection !== 'up') return;
    // Otherwise a late answer for another record would replace this one.
    if (isSame && (stays || !shown.isOpen)) question.stop(); else question.ask(sequence);
  }

  async function read(signal, sequence) {
    const { epoch, undone, readOnly } = model;
    if (sequence <= model.base) {
      shown = { sequence, epoch, undone, readOnly };
      status.say(sequence === 0 ? 'This is before the first record.' : 'The record is in an archive. Select a later one.');
      return fill(content);
    }
    const [record, why] = await Promise.all([actions.records.load(sequence), ask('Why', { sequence }, { signal })]);
    if (record === undefined) throw new Error(`There is no record @${sequence}.`);
    // The titles of the others.
    await Promise.all(why.records.slice(0, shownMax).map((other) => actions.records.load(other.sequence).catch(() => {})));
    if (signal.aborted) return;
    shown = { sequence, epoch, undone, readOnly, isOpen: why.fates.some(({ fate }) => fate === 'open') };
    status.say('');
    const { changes, sentence, ...raw } = record;
    refill(content,
      h('h2', {}, `Record @${sequence}`), h('p', { class: 'said' }, sentence), facts(record), tools(record),
      section('What it changed', changeList(changes, { more: historyOf })),
      section('What it asked for', record.commands.length === 0 ? null : h('ul', { class: 'sentences' },
        record.commands.map((command) => h('li', {}, commandLine(command, why))))),
      section('Why it exists', tree(record, why, context)),
      h('details', {}, h('summary', {}, 'As it is logged'),
        h('pre', { class: 'raw', tabindex: 0, ariaLabel: 'The record as JSON' }, JSON.stringify(raw, null, 2))));
  }

  function historyOf(change) {
    const path = changePath(change);
    return [' ', link('history', () => { actions.selectPath(path); actions.search(`path:${path}`); },
      { ariaLabel: `History of ${path}` })];
  }

  function facts(record) {
    const jump = (sequence) => link(`@${sequence}`, () => actions.selectRecord(sequence), { title: `Select record ${sequence}` });
    const rows = [['When', when(record.time)], ['Who', who(record.origin)]];
    if (record.step !== record.sequence) rows.push(['Step', jump(record.step)]);
    if (record.cause !== undefined) rows.push(['Answers', jump(record.cause.sequence)]);
    if (record.undoes !== undefined) rows.push(['Undoes', jump(record.undoes)]);
    const { restores } = record;
    if (restores !== undefined) rows.push(['As it was at', link(`@${restores}`, () => actions.go(restores))]);
    if (model.undone.has(record.step)) rows.push(['Undone by', jump(model.undone.get(record.step))]);
    return h('dl', { class: 'facts' }, rows.map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]));
  }

  function tools({ sequence, step, action }) {
    const undoing = model.undone.get(step);
    return h('div', { class: 'choice tools' },
      model.moment === sequence ? null : button('Go there', () => actions.go(sequence)),
      button('Go before it', () => actions.go(sequence - 1)),
      button('What if it had not been', () => { leaveOut(model, sequence); actions.openPanel('whatif'); }),
      action === undefined ? null : button('What if it were another', () => actions.fillAction(action, sequence)),
      model.readOnly || action === undefined ? null : undoing === undefined
        ? button(`Undo step @${step}…`, () => undoStep(context, step))
        : button(`Redo step @${step}…`, () => redoStep(context, step, undoing)));
  }
}

function commandLine(command, why) {
  const isOf = (id) => id?.sequence === command.id.sequence && id.index === command.id.index;
  const fate = why.fates.find(({ id }) => isOf(id));
  const end = why.records.find(({ kind, cause }) => kind === 'end' && isOf(cause));
  const status = fate === undefined ? null : h('span', { class: 'hint' }, ` — ${commandStatus(fate, end?.outcome)}`);
  return [commandSentence(command), status];
}

// The records of the dispatch, their commands, and the resulting records.
function tree(record, why, context) {
  const answers = Map.groupBy(why.records, ({ cause }) => `${cause?.sequence}.${cause?.index}`);
  const bySequence = new Map(why.records.map((other) => [other.sequence, other]));
  const path = new Set();
  for (let at = record; at !== undefined; at = bySequence.get(at.cause?.sequence)) path.add(at.sequence);
  const branch = (records) => {
    const seen = records.filter((other, index) => index < shownMax || path.has(other.sequence));
    return h('ul', { class: 'causes' }, seen.map((other) => h('li', {},
      recordLink(other, context),
      other.commands.length === 0 ? null : h('ul', {}, other.commands.map((command) => h('li', { class: 'command' },
        h('span', {}, '→ ', commandLine(command, why)),
        sub(answers.get(`${command.id.sequence}.${command.id.index}`))))))),
      seen.length === records.length ? null : h('li', { class: 'hint' }, `and ${count(records.length - seen.length)} more`));
  };
  const sub = (records) => records === undefined ? null : branch(records);
  const roots = why.roots.map((sequence) => bySequence.get(sequence)).filter((root) => root !== undefined);
  return [
    record.sequence !== roots[0]?.sequence || roots.length > 1 || record.commands.length > 0 ? null
      : h('p', { class: 'hint' }, `${capitalised(who(record.origin))} dispatched it.`),
    branch(roots),
    why.cut ? h('p', { class: 'hint' }, 'There is more than is shown.') : null,
    why.archive === undefined ? null : h('p', { class: 'hint' }, `Its cause is in the archive ${why.archive} or an earlier one.`),
  ];
}

/// The record that last set a value at a moment, or undefined.
export async function lastWriter(path, sequence, signal) {
  let found;
  await stream('Blame', { path, at: { sequence } }, ({ records: [record] }) => { found ??= record; }, { signal });
  return found;
}

// The selected value, the record that last set it, and what can be done with it.
function valueBar(panel, context) {
  const { model, actions } = context;
  const element = h('div', { class: 'content', id: 'value' });
  const question = newest({ pause: pauseMilliseconds, patience: 1000, run: read,
    onError: (error) => { fill(element, h('p', { class: 'error' }, error.message)); } });
  whileShown(panel, model, ['path', 'stateSequence', 'epoch', 'readOnly', 'connection'], () => {
    if (model.path === null) { question.stop(); return void fill(element); }
    if (model.stateSequence >= 0 && model.connection === 'up') question.ask(model.path, model.stateSequence);
  });
  return element;

  async function read(signal, path, at) {
    const record = await lastWriter(path, at, signal);
    const value = valueAt(model.state, path);
    const title = capitalised(placeName(path));
    refill(element, h('h2', {}, title),
      h('p', {}, value === undefined ? 'It does not exist here.' : ['It is ', h('strong', {}, compact(value, path)), '.'],
        record === undefined ? ' No record set it.' : [' Set by ', recordLink(record, context)]),
      h('div', { class: 'choice tools' }, button('History', () => actions.search(`path:${path}`)),
        button('Copy', () => actions.copy(JSON.stringify(value, null, 2), 'the value')),
        model.live || model.readOnly ? null : button(`Put it back as at @${at}…`, () => revertTo(context, at, path)),
        button('Deselect', () => actions.selectPath(null))));
  }
}
