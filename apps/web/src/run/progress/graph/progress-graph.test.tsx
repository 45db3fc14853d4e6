import { createRunView } from '@crewagent/protocol/run-view';
import { describe, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { render } from 'vitest-browser-react';
import { toProgress } from '../to-progress.ts';
import ProgressGraph from './progress-graph.tsx';

const node = {
  id: 'one',
  type: 'step' as const,
  title: 'Intake',
  inputs: [],
  outputs: [],
  setsVariables: [],
};
const graph = {
  workflow: { ref: 'main', title: 'Plan', nodes: 1 },
  entryNodeId: 'one',
  nodes: [node],
  edges: [],
};

/** Whether the graph handles the wheel event. */
function turnWheel(over: Element, init: WheelEventInit): boolean {
  const event = new WheelEvent('wheel', { deltaY: 120, bubbles: true, cancelable: true, ...init });
  over.dispatchEvent(event);
  return event.defaultPrevented;
}

describe('the graph', () => {
  it('[U197] leaves the wheel to the page, and zooms with Ctrl', async () => {
    await render(
      <div style={{ width: 400, height: 300 }}>
        <ProgressGraph
          progress={toProgress({ ...createRunView(''), nodes: graph.nodes }, graph)}
          onOpenNode={() => undefined}
        />
      </div>,
    );
    await expect.element(page.getByText('Intake')).toBeVisible();
    const pane = document.querySelector('.react-flow__pane');
    const drawn = document.querySelector<HTMLElement>('.react-flow__viewport');
    if (!pane || !drawn) throw new Error('There is no graph.');
    await expect.poll(() => drawn.style.transform).toContain('scale');
    const before = drawn.style.transform;
    expect(turnWheel(pane, {})).toBe(false);
    expect(drawn.style.transform).toBe(before);
    expect(turnWheel(pane, { ctrlKey: true })).toBe(true);
    await expect.poll(() => drawn.style.transform).not.toBe(before);
  });
});
