// Undo of the last step, of any step, or of everything since a moment, each with a preview.

import { fill, h } from './dom.js';
import { when } from './format.js';
import { pointInWords } from './moments.js';
import { commandStatus, stepStatus } from './order.js';
import { newest, note, recordLink, section, whileShown, who } from './panel.js';
import { propose, redoStep, revertTo, undoStep } from './propose.js';
import { stream } from './wire.js';
import { visible } from './visible.js';

const pageSteps = 40;
const stepsMax = 2000;
const pauseMilliseconds = 300;

export function mount(element, context) {
  const { model, actions } = context;
  const status = note();
  const any = h('input', { type: 'checkbox', checked: true, onchange: () => ask() });
  const button = (text, onclick) => h('button', { type: 'button', onclick }, text);
  const last = h('div', { class: 'choice' }, button('Undo the last step…', undoLast), button('Redo…', redoLast));
  const moment = h('input', { type: 'text', id: 'revert-to', placeholder: '65, -3, yesterday 9:00', autocomplete: 'off' });
  const revert = h('form', { class: 'bar', onsubmit: goBack }, h('label', { for: 'revert-to' }, 'Put everything back as at'),
    moment,
    h('button', { type: 'submit' }, 'Revert…'));
  const wrong = h('p', { class: 'wrong', role: 'alert' });
  const writes = h('div', { class: 'content' }, last, revert, wrong);
  const list = h('ol', { class: 'history' });
  const more = h('button', { type: 'button', hidden: true, onclick: showMore }, 'More');
  let wanted = pageSteps;
  const question = newest({ pause: pauseMilliseconds, patience: 2000, run: read, onError: status.fail });
  fill(element, writes, section('Steps', h('label', { class: 'flag' }, any, h('span', {}, 'Everybody’s steps')), status.element,
    list, more));
  whileShown(element, model, ['head', 'epoch', 'readOnly', 'connection'], ask);
  whileShown(element, model, ['moment', 'live', 'readOnly'], () => {
    writes.hidden = model.readOnly;
    if (document.activeElement !== moment) moment.value = model.live ? '' : String(model.moment);
  });

  function showMore() {
    wanted = Math.min(wanted + pageSteps, stepsMax);
    ask();
  }

  function ask() { if (model.epoch !== null && model.connection === 'up') question.ask(); }

  async function read(signal) {
    const steps = [];
    await stream('Steps', { limit: wanted, ...any.checked ? { any: true } : {} }, (reply) => {
      for (const step of reply.steps) steps.push(step);
      if (reply.reached !== undefined && steps.length === 0) status.say(`Looked back to @${reply.reached}…`);
    }, { signal });
    const records = await Promise.all(steps.map((step) => actions.records.load(step.step).catch(() => undefined)));
    if (signal.aborted) return;
    status.say(steps.length === 0 ? 'There is no step to undo.' : '');
    more.hidden = steps.length < wanted || wanted >= stepsMax;
    const focused = list.contains(document.activeElement) ? document.activeElement.dataset.step : undefined;
    fill(list, steps.map((step, index) => line(step, records[index])));
    if (focused !== undefined) (list.querySelector(`button[data-step="${focused}"]`) ?? any).focus();
  }

  function line(step, record) {
    const name = record === undefined ? `@${step.step} ${step.actions.map(visible).join(', ')}` : recordLink(record, context);
    const stage = [stepStatus(step), ...step.ends.filter(({ outcome }) => outcome !== 'result').map(({ outcome, count }) =>
      `${count} ${commandStatus({ fate: 'ended' }, outcome)}`), step.open > 0 ? `${step.open} open`
        : ''].filter((word) => word !== '');
    const [text, act] = step.stage === 'undone'
      ? ['Redo…', () => redoStep(context, step.step, step.by)] : ['Undo…', () => undoStep(context, step.step)];
    return h('li', {}, name, step.records > 1 ? h('span', { class: 'hint' }, ` and ${step.records - 1} more`) : null,
      h('div', { class: 'hint' }, `${when(step.time)}, ${who(step.origin)}${stage.length === 0 ? '' : `, ${stage.join(', ')}`} `,
        model.readOnly ? null : h('button', { type: 'button', class: 'link', dataStep: step.step, onclick: act,
          ariaLabel: `${text} @${step.step}` }, text)));
  }

  function undoLast() {
    return propose(context, {
      method: 'Undo', input: { ...any.checked ? { any: true } : {} }, mayForce: true, title: 'Undo the last step?',
        yes: 'Undo it',
      done: 'Undid the last step.', nothing: 'Nothing would change without the last step.',
    });
  }

  function redoLast() {
    return propose(context, {
      method: 'Undo', input: { redo: true, ...any.checked ? { any: true } : {} }, mayForce: true,
      title: 'Redo the last undone step?', yes: 'Redo it', done: 'Redid the last undone step.', nothing: 'Nothing would change.',
    });
  }

  async function goBack(event) {
    event.preventDefault();
    wrong.textContent = '';
    if (moment.value.trim() === '') { wrong.textContent = 'Say to which moment: 65, -3, a bookmark, yesterday 9:00.'; return; }
    try { await revertTo(context, await pointInWords(moment.value, model)); } catch (error) { fill(wrong, error.message); }
  }
}
