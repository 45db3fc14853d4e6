import { createStory } from '@crewagent/protocol/story/story';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
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
  it('[U19] leaves the wheel to the page, and zooms with Ctrl', async () => {
    await render(
      <div style={{ width: 400, height: 300 }}>
        <ProgressGraph
          progress={toProgress({ ...createStory(''), nodes: graph.nodes }, graph)}
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

  it('[U19] of forty nodes stands in columns and is readable at a glance where it is edited', async () => {
    const steps = Array.from({ length: 40 }, (_, index) => ({
      ...node,
      id: `n${index}`,
      title: `Node ${index}`,
    }));
    const chain = {
      ...graph,
      nodes: steps,
      edges: steps.slice(1).map(({ id }, index) => ({
        ...{ id: `e${index}`, from: `n${index}`, to: id, label: 'next', isDefault: true },
      })),
    };
    await render(
      <div style={{ width: 940, height: 780 }}>
        <ProgressGraph
          progress={toProgress({ ...createStory(''), nodes: chain.nodes }, chain)}
          isWrapped
          onOpenNode={() => undefined}
        />
      </div>,
    );
    await expect.element(page.getByText('Node 39')).toBeVisible();
    const nodes = () =>
      [...document.querySelectorAll('.react-flow__node')].map((one) => one.getBoundingClientRect());
    await expect.poll(() => new Set(nodes().map((one) => Math.round(one.left))).size).toBeGreaterThan(2);
    const isInView = (one: DOMRect): boolean =>
      one.left >= 0 && one.top >= 0 && one.right <= 940 && one.bottom <= 780;
    // The others are one pan away.
    await expect.poll(() => nodes().filter(isInView).length).toBeGreaterThanOrEqual(20);
    // At the size at which its text is 11 pixels.
    expect(nodes()[0]?.width).toBeGreaterThanOrEqual(168 * 0.88 - 1);
  });

  it('measures its nodes once, however often the run changes', async () => {
    const draw = () => (
      <div style={{ width: 400, height: 300 }}>
        <ProgressGraph
          progress={toProgress({ ...createStory(''), nodes: graph.nodes }, graph)}
          onOpenNode={() => undefined}
        />
      </div>
    );
    const { rerender } = await render(draw());
    await expect.element(page.getByText('Intake')).toBeVisible();
    const observe = vi.spyOn(ResizeObserver.prototype, 'observe');
    onTestFinished(() => observe.mockRestore());
    await rerender(draw());
    await rerender(draw());
    expect(observe).not.toHaveBeenCalled();
  });

  it.each(['down', 'right'] as const)(
    '[U19] draws a way back past the nodes it skips, with its name on it, %s',
    async (direction) => {
      const step = (id: string) => ({ ...node, id, title: id });
      const edge = (from: string, to: string, label: string) => ({
        ...{ id: `${from} ${to}`, from, to, label, isDefault: false },
      });
      const loop = {
        ...graph,
        nodes: ['start', 'choose', 'cook', 'serve'].map(step),
        edges: [
          edge('start', 'choose', ''),
          edge('choose', 'cook', ''),
          edge('cook', 'serve', 'all dishes are ready'),
          edge('cook', 'start', 'another dish'),
        ],
      };
      await render(
        <div style={{ width: 900, height: 600 }}>
          <ProgressGraph
            progress={toProgress({ ...createStory(''), nodes: loop.nodes }, loop)}
            direction={direction}
            onOpenNode={() => undefined}
          />
        </div>,
      );
      await expect.element(page.getByText('another dish')).toBeVisible();
      const drawn = [...document.querySelectorAll<SVGPathElement>('.react-flow__edge-path')];
      const back = toScreen(drawn.find(({ id }) => id === 'cook start'));
      const skipped = page.getByText('choose', { exact: true }).element().closest('.react-flow__node');
      expect(back.filter((point) => isIn(skipped, point))).toEqual([]);
      for (const [id, label] of [
        ['cook start', 'another dish'],
        ['cook serve', 'all dishes are ready'],
      ]) {
        const text = page.getByText(label ?? '').element();
        expect(toScreen(drawn.find((path) => path.id === id)).some((point) => isIn(text, point))).toBe(true);
      }
      const ends = [back[0], back.at(-1)];
      const touched = ['cook', 'start'].map((name) =>
        page.getByText(name, { exact: true }).element().closest('.react-flow__node'),
      );
      expect(ends.map((point, index) => isIn(touched[index] ?? null, point, 2))).toEqual([true, true]);
    },
  );
});

interface ScreenPoint {
  readonly x: number;
  readonly y: number;
}

/** Points along a path, on the screen. */
function toScreen(path: SVGPathElement | undefined): readonly ScreenPoint[] {
  const matrix = path?.getScreenCTM();
  if (!path || !matrix) throw new Error('There is no such edge.');
  const length = path.getTotalLength();
  return Array.from({ length: 101 }, (_, index) =>
    path.getPointAtLength((length * index) / 100).matrixTransform(matrix),
  );
}

function isIn(element: Element | null, point: ScreenPoint | undefined, margin = 0): boolean {
  if (!element || !point) return false;
  const { left, right, top, bottom } = element.getBoundingClientRect();
  return (
    point.x >= left - margin &&
    point.x <= right + margin &&
    point.y >= top - margin &&
    point.y <= bottom + margin
  );
}
