import { type PointerEvent, useEffect, useMemo, useRef, useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import type { Graph } from '../api/types.ts'
import { IconButton } from '../kit/button.tsx'
import { drawGraph, nodeAt, type View, zoomed } from './graph-drawing.ts'
import type { LayoutProgress, LayoutRequest } from './layout-worker.ts'
import { strings } from './strings.ts'

const text = strings.graph

const start: View = { x: 0, y: 0, scale: 1 }

/** Pages as points, links as lines. Drag to move, use the wheel to zoom, click a point to open its document. */
export function GraphCanvas({ graph }: { graph: Graph }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [positions, setPositions] = useState<Float32Array>(() => new Float32Array(2 * graph.nodes.length))
  const [view, setView] = useState<View>(start)
  const [hovered, setHovered] = useState(-1)
  const drag = useRef<{ x: number; y: number; moved: boolean } | null>(null)

  useEffect(() => {
    const worker = new Worker(new URL('./layout-worker.ts', import.meta.url), { type: 'module' })
    worker.onmessage = ({ data }: MessageEvent<LayoutProgress>) => {
      setPositions(data.positions)
      if (data.isDone) worker.terminate()
    }
    worker.postMessage({
      nodes: graph.nodes.length,
      edges: graph.edges,
      groups: groupsOf(graph),
    } satisfies LayoutRequest)
    return () => worker.terminate()
  }, [graph])

  useEffect(() => {
    if (canvas.current === null) return
    const request = requestAnimationFrame(() => {
      if (canvas.current !== null) drawGraph(canvas.current, graph, positions, view, hovered)
    })
    return () => cancelAnimationFrame(request)
  }, [graph, view, hovered, positions])

  function pointOf(event: { clientX: number; clientY: number }): { x: number; y: number } {
    const box = canvas.current!.getBoundingClientRect()
    return { x: event.clientX - box.left - box.width / 2, y: event.clientY - box.top - box.height / 2 }
  }

  function move(event: PointerEvent): void {
    const at = pointOf(event)
    if (drag.current === null) {
      setHovered(nodeAt(positions, view, at))
      return
    }
    const [dx, dy] = [at.x - drag.current.x, at.y - drag.current.y]
    drag.current = { ...at, moved: drag.current.moved || Math.abs(dx) + Math.abs(dy) > 2 }
    setView((now) => ({ ...now, x: now.x + dx, y: now.y + dy }))
  }

  function release(event: PointerEvent): void {
    const wasClick = drag.current?.moved === false
    drag.current = null
    const node = wasClick ? graph.nodes[nodeAt(positions, view, pointOf(event))] : undefined
    if (node !== undefined) navigate(`/documents/${node.document}`)
  }

  useEffect(() => {
    const element = canvas.current
    if (element === null) return
    function wheel(event: WheelEvent): void {
      // Zoom without scrolling the page.
      event.preventDefault()
      const box = element!.getBoundingClientRect()
      const at = { x: event.clientX - box.left - box.width / 2, y: event.clientY - box.top - box.height / 2 }
      setView((now) => zoomed(now, at, Math.exp(-event.deltaY / 500)))
    }
    element.addEventListener('wheel', wheel, { passive: false })
    return () => element.removeEventListener('wheel', wheel)
  }, [])

  const label = useMemo(() => text.label(graph.nodes.length, graph.edges.length), [graph])
  const node = graph.nodes[hovered]
  return (
    <div className="activity-graph">
      <canvas
        ref={canvas}
        role="img"
        aria-label={label}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          drag.current = { ...pointOf(event), moved: false }
        }}
        onPointerMove={move}
        onPointerUp={release}
        onPointerLeave={() => setHovered(-1)}
      />
      <div className="activity-graph-tools">
        <IconButton icon="plus" label={text.zoomIn} onClick={() => setView(zoomed(view, start, 1.4))} />
        <IconButton icon="minus" label={text.zoomOut} onClick={() => setView(zoomed(view, start, 1 / 1.4))} />
        <IconButton icon="refresh" label={text.reset} onClick={() => setView(start)} />
      </div>
      {node !== undefined && (
        <p className="activity-graph-tip" role="status">
          <strong>{node.title === '' ? node.url : node.title}</strong>
          <br />
          <span className="soft">
            {node.url} · {text.states[node.state]} {node.status > 0 && node.status}
          </span>
        </p>
      )}
    </div>
  )
}

function groupsOf({ nodes }: Graph): number[] {
  const groups = new Map<string, number>()
  return nodes.map(({ host }) => {
    const group = groups.get(host) ?? groups.size
    groups.set(host, group)
    return group
  })
}
