import { fill, h } from './dom.js';
import { isShown } from './tabs.js';
import { VirtualList } from './virtual.js';

export function mountJSON(element, { model, actions }) {
  let lines = [];
  let shown = null;
  const list = new VirtualList({
    label: 'JSON', role: 'listbox', rowRole: 'option', rowHeight: 20, class: 'json', key: (index) => index,
    render: (index, node) => {
      node ??= h('div', {});
      if (node.line !== lines[index]) { node.line = lines[index]; fill(node, node.line); }
      node.setAttribute('aria-selected', String(index === list.active));
      return node;
    },
  });
  const copy = h('button', { type: 'button', onclick: () => actions.copy(JSON.stringify(model.state, null, 2), 'the state') },
    'Copy all');
  fill(element, h('div', { class: 'bar' }, copy), list.element);
  const update = () => {
    if (!isShown(element) || shown === model.state || model.isPartial) return;
    shown = model.state;
    lines = JSON.stringify(shown, null, 2).split('\n');
    list.setCount(lines.length);
  };
  element.addEventListener('shown', update);
  model.on(['state', 'isPartial'], update);
}
