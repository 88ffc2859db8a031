// Modal dialogs, which keep the input until it is accepted.

import { fill, h } from './dom.js';
import { newest, problem as sentenceOf } from './panel.js';

const pauseMilliseconds = 150;
let last = 0;

/// Opens a dialog; returns true if it was accepted.
///
/// - `lines`: texts or nodes, including fields.
/// - `yes`: the label of the accept button; without it the dialog only informs.
/// - `problem(signal)`: validates the input after each change; returns a message or ''.
/// - `save()`: validates at the press; null accepts and closes, a message keeps the dialog open.
export function openDialog({ title, lines = [], yes, problem = () => '', save = async () => null }) {
  return new Promise((resolve) => {
    const name = `dialog-${++last}`;
    const wrong = h('p', { class: 'error', id: `${name}-wrong`, role: 'alert' });
    const accept = yes === undefined ? null
      : h('button', { type: 'submit', class: 'primary', 'aria-describedby': wrong.id }, yes);
    const question = newest({ pause: pauseMilliseconds, run: async (signal) => tell(halfTyped(form) || await problem(signal)),
      onError: (error) => tell(sentenceOf(error)) });
    let isDeciding = false;
    let half = '';
    const tell = (sentence) => {
      fill(wrong, sentence);
      if (accept !== null) accept.disabled = sentence !== '';
    };
    // Enter must not wait for the validation.
    const judge = () => {
      half = halfTyped(form);
      if (accept !== null) accept.disabled = false;
      question.ask();
    };
    const submit = async (event) => {
      event.preventDefault();
      if (isDeciding || accept === null) return;
      half = halfTyped(form);
      if (half !== '') { question.stop(); return tell(half); }
      isDeciding = true;
      // The result of `save` must not be replaced by a pending validation.
      question.stop();
      const refusal = await save();
      isDeciding = false;
      if (refusal === null) dialog.close('yes'); else fill(wrong, refusal);
    };
    const content = h('div', { class: 'dialog-lines' }, lines.map((line) => line instanceof Node ? line : h('p', {}, line)));
    // Text without controls must be scrollable by keyboard.
    if (content.querySelector('[autofocus]') === null) content.tabIndex = 0;
    // For partial input the browser sends no input event while the value stays empty.
    const pressed = () => { if (halfTyped(form) !== half) judge(); };
    const form = h('form', { novalidate: true, onsubmit: submit, oninput: judge, onkeyup: pressed, onfocusout: pressed },
      h('h2', { id: name }, title), content, wrong,
      h('div', { class: 'buttons' }, accept,
        h('button', { type: 'button', onclick: () => dialog.close('') }, yes === undefined ? 'Close' : 'Cancel')));
    const dialog = h('dialog', { 'aria-labelledby': name, onclose: () => {
      question.stop();
      dialog.remove();
      resolve(dialog.returnValue === 'yes');
    } }, form);
    document.body.append(dialog);
    dialog.showModal();
  });
}

// A control with partial input has an empty value, which is not what the user means.
function halfTyped(form) {
  const control = [...form.elements].find(({ validity }) => validity?.badInput === true);
  if (control === undefined) return '';
  return `The ${control.type === 'date' || control.type === 'time' ? control.type : 'number'} is incomplete.`;
}
