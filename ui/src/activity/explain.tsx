import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { useGet } from '../api/queries.ts'
import type { UrlExplanation } from '../api/types.ts'
import { Badge, type BadgeTone } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { Field, Form } from '../kit/field.tsx'
import { Icon } from '../kit/icon.tsx'
import { Input } from '../kit/input.tsx'
import { ErrorState, LoadingState } from '../kit/states.tsx'
import { useQueryState } from '../url/query-state.ts'
import { strings } from './strings.ts'

const text = strings.explain

const tones: Record<UrlExplanation['verdict'], BadgeTone> = {
  fetched: 'good',
  queued: 'accent',
  refused: 'warn',
  failed: 'danger',
  'not-covered': 'plain',
  unknown: 'plain',
}

/** Why an address was fetched, or why not. */
export function Explain() {
  const [url, setUrl] = useQueryState('url')
  const [typed, setTyped] = useState(url)
  useEffect(() => setTyped(url), [url])
  const query = useGet<UrlExplanation>(['explain', url], '/explain', { url }, { enabled: url !== '', retry: false })
  return (
    <>
      <Form className="activity-ask" onSubmit={() => setUrl(typed.trim())}>
        <Field label={text.label}>
          <Input
            inputMode="url"
            autoComplete="off"
            spellCheck={false}
            placeholder={text.example}
            value={typed}
            onChange={setTyped}
          />
        </Field>
        <Button label={text.submit} type="submit" variant="primary" />
      </Form>
      <div aria-live="polite">
        {url === '' ? null : query.error !== null ? (
          <ErrorState query={{ error: query.error }} title={text.errorTitle} advice={text.errorHint} />
        ) : query.data === undefined ? (
          <LoadingState lines={3} />
        ) : (
          <Answer explanation={query.data} />
        )}
      </div>
    </>
  )
}

function Answer({ explanation: { verdict, sentence, steps, document } }: { explanation: UrlExplanation }) {
  return (
    <div className="activity-answer kit-card">
      <p>
        <Badge tone={tones[verdict]}>{text.verdicts[verdict]}</Badge> {sentence}{' '}
        {document !== null && <Link href={`/documents/${document}`}>{text.document}</Link>}
      </p>
      <ol className="break activity-steps">
        {steps.map(({ name, ok, text: reason }) => (
          <li key={name}>
            <Icon name={ok === null ? 'minus' : ok ? 'check' : 'close'} size={16} />
            <span>
              <span className="visually-hidden">{ok === null ? text.notKnown : ok ? text.yes : text.no}</span>
              <strong>{name}</strong> <span className="soft">{reason}</span>
            </span>
          </li>
        ))}
      </ol>
    </div>
  )
}
