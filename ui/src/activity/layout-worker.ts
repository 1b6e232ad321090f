import {
  forceCollide,
  forceLink,
  forceManyBody,
  forceSimulation,
  forceX,
  forceY,
  type SimulationNodeDatum,
} from 'd3-force'

/** Lays out a graph step by step in a worker and reports the positions as it goes. */
export type LayoutRequest = { nodes: number; edges: readonly (readonly number[])[]; groups: readonly number[] }
export type LayoutProgress = { positions: Float32Array; isDone: boolean }

const STEPS = 300
/** Minimum interval between progress reports: no more often than the screen is drawn. */
const REPORT_MS = 60

self.onmessage = ({ data }: MessageEvent<LayoutRequest>) => {
  const nodes: SimulationNodeDatum[] = Array.from({ length: data.nodes }, (_, at) => startOf(at, data.groups[at] ?? 0))
  const links = data.edges.map(([source, target]) => ({ source: source!, target: target! }))
  const simulation = forceSimulation(nodes)
    .force('link', forceLink(links).distance(28).strength(0.25))
    .force('charge', forceManyBody().strength(-28).theta(1.1).distanceMax(400))
    .force('collide', forceCollide(5))
    .force('x', forceX(0).strength(0.03))
    .force('y', forceY(0).strength(0.03))
    .stop()
  let step = 0
  let reportedAt = 0
  function go(): void {
    const endAt = performance.now() + 40
    while (step < STEPS && performance.now() < endAt) {
      simulation.tick()
      step++
    }
    const isDone = step >= STEPS
    if (isDone || performance.now() - reportedAt > REPORT_MS) {
      reportedAt = performance.now()
      const positions = new Float32Array(2 * nodes.length)
      for (const [at, { x = 0, y = 0 }] of nodes.entries()) positions.set([x, y], 2 * at)
      self.postMessage({ positions, isDone } satisfies LayoutProgress, { transfer: [positions.buffer] })
    }
    if (!isDone) setTimeout(go)
  }
  go()
}

/** Pages of one host start near each other, so that they don't have to move far. */
function startOf(at: number, group: number): SimulationNodeDatum {
  const angle = group * 2.399963
  const far = 40 * Math.sqrt(group)
  const near = 6 * Math.sqrt(at % 400)
  return { x: far * Math.cos(angle) + near * Math.cos(at), y: far * Math.sin(angle) + near * Math.sin(at) }
}
