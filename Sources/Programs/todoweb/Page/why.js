// Why a record exists: its changes, its commands and their status, and the tree of its causes.

import { ask } from './ask.js';
import { fill, h } from './dom.js';
import { count, plural, when } from './format.js';
import { commandSentence, commandStatus } from './order.js';
import { attended, link, momentLink, newest, note, recordLink, refill, section, shownRecord, whileShown, who } from './panel.js';
import { redoStep, undoStep } from './propose.js';
import { changePath, changeSentence, isInternal, namesIn, recordSentence } from './sentence.js';
import { capitalised } from './visible.js';
import { stream } from './wire.js';
import { leaveOut, replaceAction } from './alterations.js';

const shownMax = 60;
/// The state has priority during a drag.
const pauseMilliseconds = 120;

export function mount(element, context) {
  const { model } = context;
  const status = note();
  const content = h('div', { class: 'content' });
  fill(element, status.element, content);
  let shown = { sequence: -1, isOpen: false };
  const question = newest({ pause: pauseMilliseconds, patience: 1000, run: read,
    onError: (error) => { fill(content); status.fail(error); } });
  const isAttended = attended(content, update);
  let selection = model.selection;
  model.on('redactions', () => { shown = { sequence: -1, isOpen: false }; fill(content); });
  whileShown(element, model, ['selection', 'moment', 'epoch', 'head', 'undone', 'developer', 'connection', 'readOnly'], update);

  function update() {
    const stays = model.live && model.selection === selection && shown.epoch === model.epoch && isAttended();
    selection = model.selection;
    const sequence = stays ? shown.sequence : shownRecord(model);
    const isSame = sequence === shown.sequence && model.epoch === shown.epoch && model.undone === shown.undone
      && model.developer === shown.developer && model.readOnly === shown.readOnly;
    if (model.epoch !== null && model.connection === 'up' && (!isSame || shown.isOpen && !stays)) question.ask(sequence);
  }

  async function read(signal, sequence) {
    if (sequence <= model.base) {
      shown = { sequence, epoch: model.epoch, isOpen: false };
      status.say(sequence === 0 ? 'This is before everything: nothing led here.'
        : 'The records before this moment are in an archive. Select a later one.');
      return fill(content);
    }
    const at = { sequence };
    const [found, why] = await Promise.all([
      one(at, signal), ask('Why', { sequence }, { signal }),
    ]);
    if (found === null) throw new Error(`There is no record @${sequence}.`);
    const { epoch, undone, developer, readOnly } = model;
    shown = { sequence, epoch, undone, developer, readOnly, isOpen: why.fates.some(({ fate }) => fate === 'open') };
    status.say('');
    show(found, why);
  }

  async function one(at, signal) {
    let found = null;
    await stream('Log', { from: at, to: at, changes: true }, ({ records, details }) => {
      if (records.length > 0) found = { record: records[0], changes: details?.[0]?.changes };
    }, { signal });
    return found;
  }

  function show({ record, changes }, why) {
    refill(content,
      h('h2', {}, `Record @${record.sequence}`),
      h('p', { class: 'said' }, recordSentence(record, changes, namesIn(model.state))),
      facts(record), tools(record),
      section('What it changed', changed(record, changes)),
      section('What it asked for', asked(record, why)),
      section('Why it is there', tree(record, why, context)),
      !model.developer ? null : section('As it is logged', h('pre', { class: 'raw', tabindex: 0,
        ariaLabel: 'The record as JSON' },
        JSON.stringify(record, null, 2))));
  }

  function facts(record) {
    const rows = [['When', when(record.time)], ['Who', who(record.origin)]];
    if (record.step !== record.sequence) rows.push(['Step', recordJump(record.step)]);
    if (record.cause !== undefined) rows.push(['Answers', recordJump(record.cause.sequence)]);
    if (record.undoes !== undefined) rows.push(['Takes back', recordJump(record.undoes)]);
    if (record.restores !== undefined) rows.push(['As it was at', momentLink(record.restores, context)]);
    if (model.undone.has(record.step)) rows.push(['Undone by', recordJump(model.undone.get(record.step))]);
    if (model.developer) rows.push(['Kind', record.kind], ['Build', String(record.build)], ['Key', record.key ?? 'none']);
    return h('dl', { class: 'facts' }, rows.map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]));
  }

  function recordJump(sequence) {
    return link(`@${sequence}`, () => context.actions.select({ sequence }), { title: `Select record ${sequence}` });
  }

  function tools(record) {
    const { sequence, step } = record;
    const button = (text, onclick) => h('button', { type: 'button', onclick }, text);
    const undoing = model.undone.get(step);
    return h('div', { class: 'choice tools' },
      model.moment === sequence ? null : button('Go there', () => context.actions.go(sequence)),
      button('Go before it', () => context.actions.go(sequence - 1)),
      button('What if it had not been', () => { leaveOut(model, sequence); context.actions.openPanel('whatif'); }),
      record.action === undefined ? null : button('What if it were another', () => {
        replaceAction(model, record);
        context.actions.openPanel('whatif');
      }),
      model.readOnly || record.action === undefined ? null : undoing === undefined
        ? button(`Undo step @${step}…`, () => undoStep(context, step))
        : button(`Redo step @${step}…`, () => redoStep(context, step, undoing)));
  }

  function changed(record, changes) {
    if (changes === undefined || changes === null) {
      return h('p', {}, 'It changed more than can be shown here. ', link('The difference shows it.', () => {
        context.actions.go(record.sequence);
        context.actions.openTab?.('difference');
      }));
    }
    const visibleChanges = model.developer ? changes : changes.filter((change) => !isInternal(change));
    if (visibleChanges.length === 0) return h('p', { class: 'hint' }, changes.length === 0 ? 'Nothing.'
      : 'Only what the daemon needs itself.');
    return [
      h('ul', { class: 'sentences' }, visibleChanges.slice(0, shownMax).map((change) => h('li', { class: change.kind },
        changeSentence(change), ' ',
        link('history', () => {
          context.actions.select({ path: changePath(change), value: change.new ?? change.old });
          context.actions.openPanel('blame', { focus: false });
        }, { ariaLabel: `History of ${changePath(change)}` })))),
      visibleChanges.length <= shownMax ? null : h('p', {}, `And ${plural(visibleChanges.length - shownMax, 'more change')}.`),
    ];
  }

  function asked(record, why) {
    return record.commands.length === 0 ? null : h('ul', { class: 'sentences' }, record.commands.map((command) => {
      const fate = fateOf(command, why);
      const open = fate?.fate === 'open' && !model.readOnly;
      const act = (operation, done) => link(operation, async () => {
        try {
          await ask('ChangeCommand', { id: command.id, operation });
          context.actions.say(`${done}: ${commandSentence(command)}.`);
          question.ask(record.sequence);
        } catch (error) { context.actions.fail(error); }
      }, { ariaLabel: `${operation}: ${commandSentence(command)}` });
      return h('li', {}, commandLine(command, why), !open ? null : [' ',
        fate.stage === 'started' ? null : [act('retry', 'It is tried again'), ' '],
        act('cancel', 'Cancelled')]);
    }));
  }
}

function fateOf({ id }, why) {
  return why.fates.find((fate) => fate.id.sequence === id.sequence && fate.id.index === id.index);
}

function commandLine(command, why) {
  const fate = fateOf(command, why);
  const end = endOf(command, why);
  return [commandSentence(command), fate === undefined ? null : h('span', { class: 'hint' },
    ` — ${commandStatus(fate, end?.outcome)}`)];
}

function endOf({ id }, why) {
  return why.records.find(({ kind, cause }) => kind === 'end' && cause?.sequence === id.sequence && cause.index === id.index);
}

// The records of the dispatch, their commands, and the resulting records.
function tree(record, why, context) {
  const answers = new Map();
  for (const other of why.records) {
    if (other.cause === undefined) continue;
    const key = `${other.cause.sequence}.${other.cause.index}`;
    answers.set(key, [...answers.get(key) ?? [], other]);
  }
  const bySequence = new Map(why.records.map((other) => [other.sequence, other]));
  const path = new Set();
  for (let at = record; at !== undefined; at = bySequence.get(at.cause?.sequence)) path.add(at.sequence);
  const branch = (records) => {
    const seen = records.length <= shownMax ? records
      : records.filter((other, index) => index < shownMax || path.has(other.sequence));
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
    why.archive === undefined ? null : h('p', { class: 'hint' },
      `What led to it is in the archive ${why.archive}, or in one before it.`),
  ];
}
