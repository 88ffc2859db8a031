// Bisects the log by a condition.

import { fill, h } from './dom.js';
import { count, plural, when } from './format.js';
import { pointInWords } from './moments.js';
import { momentLink, newest, note, problem, section, whileShown, who } from './panel.js';
import { changeSentence, recordSentence } from './sentence.js';
import { leaveOut } from './alterations.js';
import { stream } from './wire.js';

const shownMax = 40;

export function mount(element, context) {
  const { model, actions } = context;
  const status = note();
  const expression = h('input', { type: 'text', class: 'code', id: 'condition', spellcheck: 'false', autocapitalize: 'off',
    autocomplete: 'off', placeholder: 'count(todos.items) > 3', required: true, oninput: () => tell(null) });
  const wrong = h('p', { class: 'wrong', id: 'condition-wrong', role: 'alert' });
  expression.setAttribute('aria-describedby', 'condition-wrong');
  const kinds = [['first', 'When did it come true?'], ['violations', 'Where did it not hold?']];
  const kind = h('fieldset', { class: 'choices' }, h('legend', {}, 'What to find'),
    kinds.map(([value, name], index) => h('label', {},
      h('input', { type: 'radio', name: 'find', value, checked: index === 0, onchange: () => showOptions() }),
      h('span', {}, name))));
  const point = (id, label, placeholder) => [h('label', { class: 'field' }, h('span', {}, label),
    h('input', { type: 'text', id, placeholder, autocomplete: 'off' }))];
  const from = point('find-from', 'From', 'start');
  const to = point('find-to', 'To', 'now');
  const way = h('label', { class: 'field' }, h('span', {}, 'How'), h('select', { id: 'find-way' },
    [['', 'automatic'], ['linear', 'one by one'], ['halving', 'by halves']].map(([value, name]) => h('option', { value }, name))));
  const run = h('button', { type: 'submit', class: 'primary' }, 'Find');
  const stop = h('button', { type: 'button', hidden: true, onclick: () => { question.stop(); end(); status.say('Stopped.'); } },
    'Stop');
  const progress = h('progress', { hidden: true, ariaLabel: 'Progress' });
  const result = h('div', { class: 'content' });
  const form = h('form', { class: 'form', novalidate: true, onsubmit: submit },
    h('label', { class: 'field', for: 'condition' }, 'Condition'), expression, wrong, kind,
    h('div', { class: 'pair' }, from, to, way),
    h('div', { class: 'choice' }, run, stop));
  const question = newest({ run: find, onError: failed });
  fill(element, form, progress, status.element, result);
  showOptions();
  model.on(['redactions', 'epoch'], () => fill(result));
  whileShown(element, model, ['wishedExpression'], () => {
    if (model.wishedExpression) { expression.value = model.wishedExpression; model.set({ wishedExpression: null }); }
  });

  function chosen() { return form.querySelector('[name=find]:checked').value; }

  function showOptions() {
    way.hidden = chosen() !== 'first';
  }

  async function submit(event) {
    event.preventDefault();
    const condition = expression.value.trim();
    tell(null);
    if (condition === '') return tell('Write a condition, such as counter.count > 3 or count(todos.items) == 0.');
    try {
      const input = { question: chosen(), expression: condition };
      const [first, last] = [await moment('find-from'), await moment('find-to')];
      if (first !== null) input.from = { sequence: first };
      if (last !== null) input.to = { sequence: last };
      const method = form.querySelector('#find-way').value;
      if (chosen() === 'first' && method !== '') input.method = method;
      if (chosen() === 'violations') input.all = true;
      stop.hidden = progress.hidden = false;
      fill(result);
      status.say('Looking…');
      question.ask(input, [first ?? model.base, last ?? model.head]);
    } catch (error) { failed(error); }
  }

  async function moment(id) {
    const words = form.querySelector(`#${id}`).value.trim();
    return words === '' ? null : await pointInWords(words, model);
  }

  function tell(sentence) {
    fill(wrong, sentence);
    expression.setAttribute('aria-invalid', String(sentence !== null));
    if (sentence !== null) expression.focus();
  }

  // Puts the cursor at the column of the error.
  function failed(error) {
    end();
    status.say('');
    const column = error.parameters?.column;
    if (column === undefined) return status.fail(error);
    tell(`${problem(error)} (at character ${column})`);
    expression.setSelectionRange(column - 1, column);
  }

  function end() { stop.hidden = progress.hidden = true; }

  async function find(signal, input, [first, last]) {
    progress.max = Math.max(1, last - first);
    progress.value = 0;
    let answer = null;
    await stream('Scan', input, (reply, continues) => {
      answer = reply;
      if (!continues) return;
      progress.value = reply.reached - first;
      status.say(`Checked @${count(reply.reached)} of @${count(last)}…`);
    }, { signal });
    end();
    const nodes = await { first: bisected, violations: checked }[input.question](answer, input.expression);
    if (!signal.aborted) fill(result, nodes);
  }

  async function bisected({ outcome, sequence, from: start, to: until, flips = 0, points = [], changes, cut, method }, condition) {
    if (outcome === 'heldAtStart') {
      status.say(`It held already at @${start}: ${condition}`);
      return momentLink(start, context, `Go to @${start}`);
    }
    if (outcome === 'neverHeld') { status.say(`It does not hold at @${until}: ${condition}`); return null; }
    const record = await actions.records.load(sequence);
    status.say(`It came true at @${sequence}.`);
    actions.select({ sequence });
    return [
      h('p', { class: 'said' }, record === undefined ? `@${sequence}` : recordSentence(record, changes)),
      record === undefined ? null : h('p', { class: 'hint' }, `${when(record.time)}, ${who(record.origin)}`),
      h('div', { class: 'choice' }, button(`Go to @${sequence}`, () => actions.go(sequence), true),
        button('Go before it', () => actions.go(sequence - 1)),
        button('Why it is there', () => { actions.select({ sequence }); actions.openPanel('why'); }), without(sequence)),
      section('What it changed', cut || changes === undefined ? h('p', {}, 'More than can be shown.')
        : h('ul', { class: 'sentences' }, changes.slice(0, shownMax).map((change) =>
          h('li', { class: change.kind }, changeSentence(change))))),
      section('How it was found', h('p', { class: 'hint' }, method === 'halving'
        ? 'By halves: that is right if it came true only once.' : 'All records were checked: it is the first one.',
        flips > 1 ? ` It changed ${count(flips)} times between the checked records.` : ''),
      h('ul', { class: 'looks', ariaLabel: 'Checked moments' }, points.slice(-shownMax).map((point) => h('li', {},
        momentLink(point.sequence, context), point.holds ? ' holds' : ' does not')))),
    ];
  }

  async function checked({ violations = [], from: start, to: until, cut }, condition) {
    const range = `from @${start} to @${until}`;
    if (violations.length === 0) { status.say(`It held at every moment ${range}: ${condition}`); return null; }
    status.say(`It did not hold in ${cut ? 'more than ' : ''}${plural(violations.length, 'span')} ${range}.`);
    return h('ul', { class: 'looks' }, violations.slice(0, 1000).map((span) => h('li', {}, momentLink(span.from, context),
      span.to === span.from ? '' : [' to ', momentLink(span.to, context)])));
  }

  function without(sequence) {
    return button('What if it had not been', () => { leaveOut(model, sequence); actions.openPanel('whatif'); });
  }

  function button(text, onclick, isFirst = false) {
    return h('button', { type: 'button', class: isFirst ? 'primary' : null, onclick }, text);
  }
}
