import {
  forceCollide,
  forceLink,
  forceManyBody,
  forceSimulation,
  forceX,
  forceY,
  type SimulationNodeDatum,
} from 'd3-force'

/** Lays a graph out step by step, away from the page, and tells how far it has come. */
export type LayoutOrder = { nodes: number; edges: readonly (readonly number[])[]; groups: readonly number[] }
export type LayoutNews = { positions: Float32Array; isOver: boolean }

const STEPS = 300
/** Positions are told as often as a screen is drawn, or less. */
const TELL_MS = 60

self.onmessage = ({ data }: MessageEvent<LayoutOrder>) => {
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
  let toldAt = 0
  function go(): void {
    const endAt = performance.now() + 40
    while (step < STEPS && performance.now() < endAt) {
      simulation.tick()
      step++
    }
    const isOver = step >= STEPS
    if (isOver || performance.now() - toldAt > TELL_MS) {
      toldAt = performance.now()
      const positions = new Float32Array(2 * nodes.length)
      for (const [at, { x = 0, y = 0 }] of nodes.entries()) positions.set([x, y], 2 * at)
      self.postMessage({ positions, isOver } satisfies LayoutNews, { transfer: [positions.buffer] })
    }
    if (!isOver) setTimeout(go)
  }
  go()
}

/** Pages of one host begin near each other, so that little has to move. */
function startOf(at: number, group: number): SimulationNodeDatum {
  const angle = group * 2.399963
  const far = 40 * Math.sqrt(group)
  const near = 6 * Math.sqrt(at % 400)
  return { x: far * Math.cos(angle) + near * Math.cos(at), y: far * Math.sin(angle) + near * Math.sin(at) }
}
