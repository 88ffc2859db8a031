// The edits of the what-if history: `model.alterations`, in the form of WhatIf.

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

export function withdraw(model, alteration) {
  model.set({ alterations: model.alterations.filter((other) => other !== alteration) });
}

export function recordOf(alteration) { return alteration.skip ?? alteration.edit ?? alteration.insert; }
