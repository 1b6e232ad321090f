import { useEffect, useId, useState } from 'react'
import { Link } from 'wouter'
import { urlOf } from '../api/client.ts'
import { useGet } from '../api/queries.ts'
import type { Profile } from '../api/types.ts'
import { Button, IconButton } from '../kit/button.tsx'
import { Icon, type IconName } from '../kit/icon.tsx'
import { Input } from '../kit/input.tsx'
import { Menu } from '../kit/menu.tsx'
import type { Selection } from '../kit/selection.ts'
import { setQuery, useQueryState } from '../url/query-state.ts'
import { type Target, targetOf } from './selection.ts'
import { countWatches, strings } from './strings.ts'
import type { WatchActions } from './use-watch-actions.ts'

const PAUSE_MS = 250

/** The URL follows after a pause in typing, without a history entry per letter. */
export function FilterBox() {
  const id = useId()
  const [q, setQ] = useQueryState('q')
  const [text, setText] = useState(q)
  useEffect(() => setText(q), [q])
  useEffect(() => {
    if (text.trim() === q) return
    const timer = setTimeout(() => setQ(text.trim(), { replace: true }), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text, q, setQ])
  return (
    <div className="kit-search watches-search">
      <Icon name="search" size={18} />
      <label className="visually-hidden" htmlFor={id}>
        {strings.find}
      </label>
      <Input id={id} type="search" placeholder={strings.findExample} value={text} onChange={setText} />
    </div>
  )
}

/** Shows that the list is limited to one profile, with a button that removes the limit. */
export function ProfileChip({ id }: { id: string }) {
  const path = `/profiles/${encodeURIComponent(id)}`
  const profile = useGet<Profile>(['profiles', id], path)
  return (
    <p className="kit-chip">
      <span>
        {strings.onlyProfile} <Link href={path}>{profile.data?.name ?? strings.oneProfile}</Link>
      </span>
      <IconButton icon="close" label={strings.allProfiles} onClick={() => setQuery({ profile: null })} />
    </p>
  )
}

type BulkProps = {
  selection: Selection
  matching: number
  actions: WatchActions
  onRemove: (target: Target) => void
}

/** Stays in sight while rows are selected. */
export function BulkBar({ selection, matching, actions, onRemove }: BulkProps) {
  const text = strings.bulk
  const target = targetOf(selection, matching)
  const count = selection.isAll ? matching : selection.ids.size
  const buttons: [string, IconName, () => void][] = [
    [strings.check, 'refresh', () => actions.check(target)],
    [strings.pause, 'pause', () => actions.mark(target, 'paused', true)],
    [strings.resume, 'play', () => actions.mark(target, 'paused', false)],
    [strings.mute, 'mute', () => actions.mark(target, 'muted', true)],
    [strings.unmute, 'unmute', () => actions.mark(target, 'muted', false)],
    [strings.remove, 'trash', () => onRemove(target)],
  ]
  return (
    <section className="kit-spread watches-bulk" aria-label={text.label}>
      <p className="numbers small watches-bulk-count" role="status">
        <strong>{countWatches(count)}</strong>
        <span className="watches-bulk-word">{text.selected}</span>
        {!selection.isAll && count < matching && (
          <Button label={text.selectAll(matching)} small variant="quiet" onClick={selection.allMatching} />
        )}
      </p>
      <div className="small watches-bulk-actions">
        {buttons.map(([label, icon, run]) => (
          <Button
            key={label}
            small
            title={label}
            icon={icon}
            onClick={run}
            {...(icon === 'trash' && { variant: 'danger' })}
          >
            <span className="watches-bulk-word">{label}</span>
          </Button>
        ))}
        <IconButton icon="close" label={text.selectNone} shortcut="Esc" tip="end" onClick={selection.clear} />
      </div>
    </section>
  )
}

/** Clicks a link with `download`: the browser saves the answer as a file and stays on the page. */
function download(format: string): void {
  const link = document.createElement('a')
  link.href = urlOf('/sources/export', { format })
  link.download = `watches.${format === 'list' ? 'txt' : format}`
  link.click()
}

export function ExportMenu() {
  return (
    <Menu
      label={strings.export.label}
      icon="download"
      items={Object.entries(strings.export.formats).map(([format, label]) => ({ label, run: () => download(format) }))}
    />
  )
}
