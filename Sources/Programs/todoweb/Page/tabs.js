// Tabs. Hidden panels keep their content.

import { h } from './dom.js';

/// Builds tabs. Items: `{name, title, mount(panel)}`. A panel is mounted when it is first shown, and gets an event `shown` each
/// time. Returns `{open(name, {focus}), setHidden(name, isHidden), current}`.
export function tabs(element, { label, items, onOpen }) {
  const list = h('div', { class: 'tabs', role: 'tablist', ariaLabel: label, onkeydown: move });
  element.append(list);
  const parts = new Map();
  for (const item of items) {
    const panel = h('div', { class: 'panel', role: 'tabpanel', id: `panel-${item.name}`, 'aria-labelledby': `tab-${item.name}`,
      hidden: true });
    const tab = h('button', {
      type: 'button', role: 'tab', id: `tab-${item.name}`, 'aria-controls': panel.id, 'aria-selected': false, tabindex: -1,
      onclick: () => open(item.name),
    }, item.title);
    parts.set(item.name, { item, panel, tab, isMounted: false });
    list.append(tab);
    element.append(panel);
  }
  const control = { open, setHidden, current: null };
  open(items[0].name);
  return control;

  function open(name, { focus = false } = {}) {
    const part = parts.get(name);
    if (part === undefined || part.tab.hidden) return;
    control.current = name;
    for (const { tab, panel } of parts.values()) {
      const isShown = panel === part.panel;
      tab.setAttribute('aria-selected', String(isShown));
      tab.tabIndex = isShown ? 0 : -1;
      panel.hidden = !isShown;
    }
    if (!part.isMounted) { part.isMounted = true; part.item.mount(part.panel); }
    part.panel.dispatchEvent(new Event('shown'));
    onOpen?.(name);
    if (focus) (firstControl(part.panel) ?? part.tab).focus();
  }

  function shownNames() { return [...parts].filter(([, { tab }]) => !tab.hidden).map(([name]) => name); }

  function setHidden(name, isHidden) {
    parts.get(name).tab.hidden = isHidden;
    if (isHidden && control.current === name) open(shownNames()[0]);
  }

  function move(event) {
    const names = shownNames();
    const index = names.indexOf(control.current);
    const next = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: names.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const name = names[(next + names.length) % names.length];
    open(name);
    parts.get(name).tab.focus();
  }
}

function firstControl(panel) {
  return [...panel.querySelectorAll('input, textarea, select, button, [tabindex="0"]')].find((control) => isShown(control));
}

/// Whether a panel and its ancestors are visible.
export function isShown(element) { return element.isConnected && element.closest('[hidden]') === null; }
