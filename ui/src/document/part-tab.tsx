import './part-tab.css'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { api, detailOf, type List, urlOf } from '../api/client.ts'
import { useGet } from '../api/queries.ts'
import type { Document, PartList, Profile, Version } from '../api/types.ts'
import { Button, ButtonLink } from '../kit/button.tsx'
import { Field } from '../kit/field.tsx'
import { Input, Select } from '../kit/input.tsx'
import { EmptyState } from '../kit/states.tsx'
import { RelativeTime } from '../time/relative-time.tsx'
import { useQueryState } from '../url/query-state.ts'
import { absenceOf } from './content-tabs.tsx'
import { type Picked, readPicked } from './picked.ts'
import { strings } from './strings.ts'

const text = strings.part
const NEW = ''

/** Choose a part of the page by pointing at it; the frame runs our script and nothing else. */
export function PartTab({ document, version }: { document: Document; version: Version }) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [picked, setPicked] = useState<Picked | null>(null)
  const [selector, setSelector] = useState('')
  useEffect(() => {
    function take({ source, data }: MessageEvent) {
      if (frame.current === null || source !== frame.current.contentWindow) return
      const read = readPicked(data)
      if (read === null) return
      setPicked(read)
      setSelector(read.path[read.at]!.selector)
    }
    window.addEventListener('message', take)
    return () => window.removeEventListener('message', take)
  }, [])
  const absence = absenceOf(version)
  if (absence !== null) return <EmptyState icon="cached" title={strings.missing.title} advice={absence} />
  // The frame has an opaque origin, which can't be given as the target.
  const widen = (at: number) => frame.current?.contentWindow?.postMessage({ erace: 'choose', at }, '*')
  return (
    <section className="document-part" aria-label={text.title}>
      <div className="kit-stack document-part-panel">
        <p className="soft">{text.hint}</p>
        {picked !== null && <Breadcrumb picked={picked} onChoose={widen} />}
        <Field label={text.selector} hint={text.selectorHint}>
          <Input className="mono" spellCheck={false} autoComplete="off" value={selector} onChange={setSelector} />
        </Field>
        {selector.trim() !== '' && <Chosen document={document} selector={selector.trim()} />}
      </div>
      <iframe
        ref={frame}
        className="document-frame document-part-frame"
        sandbox="allow-scripts"
        referrerPolicy="no-referrer"
        title={text.frame}
        src={urlOf(`/versions/${version.id}/content`, { pick: 1 })}
      />
    </section>
  )
}

/** From the outermost element to the one pointed at; a click on an outer one widens the choice. */
function Breadcrumb({ picked: { path, at }, onChoose }: { picked: Picked; onChoose: (at: number) => void }) {
  const steps = path.map((step, index) => ({ ...step, index })).toReversed()
  return (
    <nav aria-label={text.breadcrumb}>
      <ol className="document-part-path">
        {steps.map(({ label, index }) => (
          <li key={index}>
            <button type="button" className="mono small" aria-pressed={index === at} onClick={() => onChoose(index)}>
              {label}
            </button>
          </li>
        ))}
      </ol>
    </nav>
  )
}

function Chosen({ document, selector }: { document: Document; selector: string }) {
  const preview = useQuery({
    queryKey: ['documents', String(document.id), 'select', selector],
    queryFn: () => api.post<PartList>(`/documents/${document.id}/select`, { select: [selector] }),
    retry: false,
  })
  if (preview.error !== null)
    return (
      <p className="kit-field-error" role="alert">
        {detailOf(preview.error)}
      </p>
    )
  const items = preview.data?.items ?? []
  const isMatched = items.some(({ state }) => state === 'some')
  return (
    <>
      <h2 className="document-part-heading">{text.preview}</h2>
      <ol className="document-part-versions" aria-busy={preview.isPending}>
        {items.map(({ version, n, at, state, text: chosen }) => (
          <li key={version}>
            <span className="small soft">
              {strings.versions.name(n)} · <RelativeTime at={at} />
            </span>
            {state === 'some' ? <span className="document-part-text">{chosen}</span> : <em>{text.states[state]}</em>}
          </li>
        ))}
      </ol>
      <UsePart document={document} selector={selector} disabled={!isMatched} />
    </>
  )
}

type UseProps = { document: Document; selector: string; disabled: boolean }

/** Puts the selector into the source of a profile that watches this page, or into a new profile. */
function UsePart({ document, selector, disabled }: UseProps) {
  const client = useQueryClient()
  const profiles = useGet<List<Profile>>(['profiles', 'part'], '/profiles', { limit: 200 })
  // Set when the user came from a watch, whose address may differ from the page's.
  const [given] = useQueryState('profile')
  const [source] = useQueryState('source')
  const addresses = [document.url, source]
  const watching = (profiles.data?.items ?? []).filter(({ sources }) =>
    sources.some(({ uri }) => addresses.includes(uri)),
  )
  const [chosen, setChosen] = useState<string | null>(null)
  const target = chosen ?? (watching.find(({ id }) => id === given) ?? watching[0])?.id ?? NEW
  const save = useMutation({
    mutationFn: () => (target === NEW ? create(document, selector) : change(target, addresses, selector)),
    onSuccess: () => client.invalidateQueries({ queryKey: ['profiles'] }),
  })
  const options = [
    ...watching.map(({ id, name }) => ({ value: id, label: name })),
    { value: NEW, label: text.newProfile },
  ]
  return (
    <div className="kit-stack">
      <Field label={text.profile}>
        <Select value={target} options={options} onChange={setChosen} />
      </Field>
      <div className="kit-row">
        <Button
          label={text.use}
          variant="primary"
          icon="check"
          disabled={disabled || save.isPending || profiles.isPending}
          onClick={() => save.mutate()}
        />
        {save.data !== undefined && (
          <ButtonLink label={text.edit} href={`/profiles/${encodeURIComponent(save.data.id)}`} />
        )}
      </div>
      <p role="status">{save.isSuccess && text.used(save.data.name)}</p>
      {save.isError && (
        <p className="kit-field-error" role="alert">
          {detailOf(save.error)}
        </p>
      )}
    </div>
  )
}

/** Read right before writing, so that no concurrent change is lost. */
async function change(id: string, addresses: readonly string[], selector: string): Promise<Profile> {
  const path = `/profiles/${encodeURIComponent(id)}`
  const profile = await api.get<Profile>(path)
  const sources = profile.sources.map((source) =>
    addresses.includes(source.uri) ? { ...source, select: [selector] } : source,
  )
  return api.put<Profile>(path, { ...profile, sources })
}

function create({ title, url }: Document, selector: string): Promise<Profile> {
  const name = title.trim().slice(0, 200)
  return api.post<Profile>('/profiles', {
    ...(name !== '' && { name }),
    sources: [{ uri: url, select: [selector], process: 'track' }],
  })
}
