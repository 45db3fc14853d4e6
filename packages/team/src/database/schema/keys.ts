/** Provider keys that all workers share: when they may be used again, and the requests under way. The keys themselves are not here. */
export const KEYS = `
create table provider_keys (
  /** A hash of address and key. */
  key_id text collate "C" primary key,
  paused_until timestamptz,
  /** Requests so far, spread evenly by the limit, end at this time. */
  used_until timestamptz
) with (fillfactor = 50);

create table provider_requests (
  request_id bigint generated always as identity primary key,
  key_id text collate "C" not null,
  /** Counts as long as it lives. */
  worker_id text not null
);
create index provider_requests_by_key on provider_requests (key_id);

/**
 * Lets a request in, or says how long it has to wait. Ten seconds' worth of requests may come at once. Null: no such limit.
 */
create function enter_key(the_key text, the_worker text, per_minute integer, at_once integer,
  out wait_ms integer, out request_id bigint) language plpgsql as $$
declare
  held provider_keys;
  spread interval := interval '60 s' / per_minute;
  burst interval := greatest(interval '10 s', spread);
  used timestamptz;
begin
  insert into provider_keys (key_id) values (the_key) on conflict do nothing;
  select * into held from provider_keys where key_id = the_key for update;
  wait_ms := 0;
  if held.paused_until > now() then
    wait_ms := ceil(extract(epoch from held.paused_until - now()) * 1000);
    return;
  end if;
  if at_once is not null then
    delete from provider_requests where key_id = the_key
      and worker_id not in (select worker_id from workers where seen_at > now() - interval '30 s');
    if (select count(*) from provider_requests where key_id = the_key) >= at_once then
      wait_ms := 500;
      return;
    end if;
  end if;
  if per_minute is not null then
    used := greatest(coalesce(held.used_until, now()), now()) + spread;
    if used - now() > burst then
      wait_ms := ceil(extract(epoch from used - now() - burst) * 1000);
      return;
    end if;
    update provider_keys set used_until = used where key_id = the_key;
  end if;
  if at_once is not null then
    insert into provider_requests (key_id, worker_id) values (the_key, the_worker)
      returning provider_requests.request_id into enter_key.request_id;
  end if;
end
$$;
`;
