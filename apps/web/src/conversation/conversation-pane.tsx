/** A conversation: its timeline, the open question or approval, and the composer. */
import { type HTMLAttributes, type ReactNode, type Ref, useCallback, useState } from 'react';
import type { WorkApi } from '../api/work-api.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { CallTrail, type TrailStep } from '../run/call-trail.tsx';
import { PendingDock } from '../run/docks/pending-dock.tsx';
import type { ConversationPicture } from '../state/conversation-store.ts';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { isNotReached } from '../ui/errors/error-texts.ts';
import { ReconnectingNote } from '../ui/errors/reconnecting-note.tsx';
import { AgentMenu, chooseFromMenu, useMenu } from './agent/agent-menu.tsx';
import { AgentControls } from './agent/agent-picker.tsx';
import { ApprovalPicker } from './agent/approval-picker.tsx';
import { fittingCommands } from './completion/fitting-commands.ts';
import { Composer } from './composer/composer.tsx';
import { HeldComposer } from './composer/held-composer.tsx';
import { type SendError, useSending } from './composer/use-sending.ts';
import { ConversationStory } from './conversation-story.tsx';
import { restartTurn } from './restart-turn.ts';
import type { FollowedConversation } from './use-conversation.ts';
import { useFocusPosition } from './use-focus-position.ts';
import { ViewOnlyNote } from './view-only-note.tsx';

interface ConversationPaneProps {
  readonly api: WorkApi;
  readonly workId: string;
  readonly followed: FollowedConversation;
  /** The person may only look at it. */
  readonly isViewOnly?: boolean;
  /** Shown after the timeline of a complete workflow; `isAgain` if messages followed its first completion. */
  readonly afterCompletion?: (isAgain: boolean) => ReactNode;
}

export function ConversationPane(props: ConversationPaneProps) {
  const { api, workId, followed, isViewOnly = false, afterCompletion } = props;
  const { picture } = followed;
  const { active, called } = picture;
  const isConnected = followed.connection !== 'broken';
  const { binding } = api;
  const isRunning = active.status.kind === 'running';
  const pressing = useSending(`${workId} press`);
  const hurrying = useSending(`${workId} hurry`);
  const keyboard = useFocusPosition(called.pending);
  const menu = useMenu({ binding, workId, agent: picture.state.agent });
  const [sent, setSent] = useState(0);
  const input = useCallback(
    async (text: string): Promise<void> => {
      await api.input(workId, text);
      setSent((count) => count + 1);
    },
    [api, workId],
  );
  const findFiles = useCallback(
    (query: string, signal: AbortSignal) => api.findFiles(workId, query, signal),
    [api, workId],
  );
  const sendNow = async (text: string): Promise<void> => {
    if (text !== '') await input(text);
    // The text was accepted: a later error must not look like a rejection.
    hurrying.send(() => restartTurn(api, workId));
  };
  const { setApproval } = api;
  const approval =
    setApproval && !picture.isEmpty ? (
      <ApprovalPicker
        workId={workId}
        isRunning={isRunning}
        isWorkflow={active.workflow !== undefined}
        sending={pressing}
        onChoose={(preset) => setApproval(workId, preset)}
      />
    ) : undefined;
  // A run without a conversation has no menu and no other agent.
  const pickers =
    binding && !picture.own.workflow && !picture.isEmpty ? (
      <>
        <AgentMenu
          entries={menu}
          isDisabled={isRunning}
          isBusy={pressing.isSending}
          onShut={keyboard.continueRun}
          onChoose={(number) => pressing.send(() => chooseFromMenu({ api, workId, picture, number }))}
        />
        <AgentControls {...{ binding, workId, picture }} sending={pressing} />
        {approval}
      </>
    ) : (
      approval
    );
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="min-h-0 flex-1">
        <ConversationStory
          {...{ api, workId, followed, menu, pressing, sent, afterCompletion }}
          onPressed={keyboard.continueRun}
        />
      </div>
      <Foot
        handlers={keyboard.handlers}
        composerKey={called.pending ? 'held' : 'open'}
        dock={
          <>
            <ConnectionNotes followed={followed} issue={pressing.issue ?? hurrying.issue} />
            {isViewOnly ? undefined : <Dock {...{ api, workId, followed }} docks={keyboard.docks} />}
          </>
        }
      >
        {isViewOnly ? (
          <ViewOnlyNote />
        ) : called.pending ? (
          // One field: the dock answers.
          <HeldComposer pending={called.pending} draftName={workId} pickers={pickers} />
        ) : (
          <Composer
            {...{ isRunning, isConnected, findFiles, pickers }}
            ref={keyboard.field}
            forNode={nodeTitleOf(picture)}
            queuedInputs={called.queued.length}
            onSend={input}
            onSendNow={sendNow}
            onStop={() => api.stop(workId)}
            attach={api.attach}
            detach={api.detach}
            commands={binding ? fittingCommands(picture) : NO_COMMANDS}
            draftName={workId}
          />
        )}
      </Foot>
    </div>
  );
}

interface DockProps extends Pick<ConversationPaneProps, 'api' | 'workId' | 'followed'> {
  readonly docks: Ref<HTMLDivElement>;
}

/** What the Work waits for, and of which called workflow. */
function Dock({ api, workId, followed: { picture, reload }, docks }: DockProps) {
  const { called } = picture;
  return (
    <div ref={docks} className="contents">
      {called.pending ? <CallTrail steps={trailOf(picture)} /> : undefined}
      <PendingDock api={api} workId={workId} active={called} onOutdated={reload} />
    </div>
  );
}

interface FootProps {
  readonly handlers: HTMLAttributes<HTMLDivElement>;
  readonly dock: ReactNode;
  /** Another one for each kind of composer. */
  readonly composerKey: string;
  readonly children: ReactNode;
}

/**
 * The dock and the composer. The timeline shrinks first, then the dock: the composer stays visible. The dock is no part of the
 * composer's box, so that nothing moves when it opens.
 */
function Foot({ handlers, dock, composerKey, children }: FootProps) {
  return (
    <div className="contents" {...handlers}>
      <div className="flex min-h-0 flex-col px-4 sm:px-6">
        <div className="mx-auto flex min-h-0 w-full max-w-3xl flex-col gap-2.5 *:shrink-0">{dock}</div>
      </div>
      <div key={composerKey} className="shrink-0 px-4 pt-2 pb-3 sm:px-6">
        <div className="mx-auto w-full max-w-3xl">{children}</div>
      </div>
    </div>
  );
}

const NO_COMMANDS: readonly string[] = [];

/** The node that receives the message; undefined after completion and in a thread. */
function nodeTitleOf(picture: ConversationPicture): string | undefined {
  const { active, called } = picture;
  const { currentNodeId } = called.state;
  if (currentNodeId === '' || active.status.kind === 'completed') return undefined;
  const title = called.nodes.find(({ id }) => id === currentNodeId)?.title ?? currentNodeId;
  return [...trailOf(picture).map((step) => step.title), title].join(' › ');
}

/** The nodes that lead to the active sub-workflow. */
function trailOf({ callPath }: ConversationPicture): TrailStep[] {
  return callPath.map(({ runId, title }) => ({ id: runId, title }));
}

interface ConnectionNotesProps {
  readonly followed: FollowedConversation;
  /** Error of the last action. */
  readonly issue: SendError | undefined;
}

/** The conversation cannot be followed, or an action failed. */
function ConnectionNotes({ followed, issue: ofPress }: ConnectionNotesProps) {
  const { connection, issue } = followed;
  const { t } = useTranslation();
  const isBroken = connection === 'broken' && !issue;
  const isShownAlready = isBroken && ofPress?.kind === 'error' && isNotReached(ofPress.error);
  return (
    <>
      <ErrorNote issue={issue} title={t('conversation.lostTitle')} advice={t('conversation.lostAdvice')} />
      {isBroken ? (
        <div role="status">
          <ReconnectingNote />
        </div>
      ) : undefined}
      {ofPress?.kind === 'error' && !isShownAlready ? (
        <ErrorNote issue={ofPress.error} title={t('timeline.notDone')} />
      ) : undefined}
    </>
  );
}
