import type { Graph } from '../api/types.ts'
import { colourOf } from '../theme/colour.ts'

/** The offset of the picture's centre in screen pixels, and its scale. */
export type View = { x: number; y: number; scale: number }
type Point = { x: number; y: number }

const RADIUS = 3.5
const HIT_RADIUS = 10
export type State = Graph['nodes'][number]['state']
export const tokens: Record<State, string> = {
  fetched: '--accent',
  redirect: '--ink-faint',
  gone: '--warn',
  failed: '--danger',
}

export function zoomed(view: View, at: Point, factor: number): View {
  const scale = Math.min(20, Math.max(0.05, view.scale * factor))
  const by = scale / view.scale
  return { scale, x: at.x - (at.x - view.x) * by, y: at.y - (at.y - view.y) * by }
}

/** The node at a point on the screen; -1 for none. */
export function nodeAt(positions: Float32Array, view: View, at: Point): number {
  const x = (at.x - view.x) / view.scale
  const y = (at.y - view.y) / view.scale
  let nearest = -1
  let best = (HIT_RADIUS / view.scale) ** 2
  for (let node = 0; 2 * node < positions.length; node++) {
    const distance = (positions[2 * node]! - x) ** 2 + (positions[2 * node + 1]! - y) ** 2
    if (distance < best) {
      best = distance
      nearest = node
    }
  }
  return nearest
}

/** One path for all lines and one per colour of points, so that thousands fit into a frame. */
export function drawGraph(
  canvas: HTMLCanvasElement,
  graph: Graph,
  at: Float32Array,
  view: View,
  hovered: number,
): void {
  const ratio = window.devicePixelRatio
  const { clientWidth: width, clientHeight: height } = canvas
  if (canvas.width !== width * ratio || canvas.height !== height * ratio) {
    canvas.width = width * ratio
    canvas.height = height * ratio
  }
  const context = canvas.getContext('2d')
  if (context === null) return
  context.setTransform(ratio, 0, 0, ratio, (width / 2 + view.x) * ratio, (height / 2 + view.y) * ratio)
  context.clearRect(-width / 2 - view.x, -height / 2 - view.y, width, height)
  const pointOf = (node: number): Point => ({ x: at[2 * node]! * view.scale, y: at[2 * node + 1]! * view.scale })
  context.strokeStyle = colourOf(canvas, '--line-strong')
  context.globalAlpha = graph.edges.length > 5000 ? 0.15 : 0.35
  context.lineWidth = 0.7
  context.beginPath()
  for (const [from, to] of graph.edges) {
    const [a, b] = [pointOf(from!), pointOf(to!)]
    context.moveTo(a.x, a.y)
    context.lineTo(b.x, b.y)
  }
  context.stroke()
  context.globalAlpha = 1
  // Smaller when zoomed out, or thousands would cover each other.
  const normal = Math.min(2 * RADIUS, Math.max(1.2, RADIUS * Math.sqrt(view.scale)))
  for (const [state, name] of Object.entries(tokens)) {
    context.fillStyle = colourOf(canvas, name)
    context.beginPath()
    for (const [node, { state: own }] of graph.nodes.entries()) {
      if (own !== state) continue
      const { x, y } = pointOf(node)
      const radius = node === hovered ? 2 * normal : normal
      context.moveTo(x + radius, y)
      context.arc(x, y, radius, 0, 2 * Math.PI)
    }
    context.fill()
  }
}
