'use strict';
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const $ = id => document.getElementById(id);
  const LABEL = 168, AXIS = 22, ROW_MOST = 30, ROW_LEAST = 15, LIST_ROW = 21, ARROWS = 1500;

  // What happened, as one list in order of time. kind: story, world, fault, invariant, change (of objects and instances),
  // write and read (messages).
  const SERVICES = ['kubernetes', 'ec2', 's3', 'dynamodb'];
  const lineKind = actor => ['story', 'fault', 'invariant', 'world'].includes(actor) ? actor
    : SERVICES.some(s => actor === s || actor.endsWith('/' + s)) ? 'change' : 'write';
  const FATES = {ARRIVES: '', SENDER_DIES_BEFORE: 'its sender dies before', SENDER_DIES_AFTER: 'its sender dies after',
    REQUEST_LOST: 'lost on the way', REPLY_LOST: 'its reply is lost', SILENCE: 'no answer ever comes'};
  const events = [];
  data.lines.forEach(([at, actor, text]) => {
    const name = data.actors[actor];
    const kind = lineKind(name);
    if (kind !== 'write') events.push({at, actor: name, kind, text}); // writes are messages too
    else if (!data.messages.length || !/^(GET|POST|PUT|PATCH|DELETE) |^[A-Z][A-Za-z0-9]+ /.test(text)) events.push({at, actor: name, kind: 'world', text});
  });
  data.messages.forEach(([at, from, to, action, target, fate, mutating, arrived, answered, status]) => {
    const how = FATES[data.words[fate]];
    events.push({at, actor: data.actors[from], to: data.actors[to], kind: mutating ? 'write' : 'read',
      text: data.words[action] + (target ? ' ' + target : '') + ' \u2192 ' + data.actors[to]
        + (status > 0 ? '  ' + status : status === 0 ? '  connection broken' : '') + (how ? '  (' + how + ')' : ''),
      fate: how ? data.words[fate] : '', arrived, answered, status});
  });
  events.forEach((e, i) => { e.order = i; });
  events.sort((a, b) => a.at - b.at || a.order - b.order);
  events.forEach((e, i) => { e.index = i; });

  // Objects: versions by key, each a whole object or a merge patch onto the one before.
  const histories = new Map();
  data.versions.forEach(([at, key, event, change]) => {
    const name = data.words[key];
    if (!histories.has(name)) histories.set(name, []);
    histories.get(name).push({at, event: data.words[event], change});
  });
  const merge = (object, patch) => {
    const next = Array.isArray(object) || object === null || typeof object !== 'object' ? {} : {...object};
    for (const [key, value] of Object.entries(patch)) {
      if (value === null) delete next[key];
      else if (typeof value === 'object' && !Array.isArray(value)) next[key] = merge(next[key] === undefined ? {} : next[key], value);
      else next[key] = value;
    }
    return next;
  };
  const whole = (name, index) => {
    const versions = histories.get(name);
    let start = index;
    while (start > 0 && versions[start].event !== 'ADDED') start--;
    let object = versions[start].event === 'DELETED' ? null : versions[start].change;
    for (let i = start + 1; i <= index; i++) object = versions[i].event === 'DELETED' ? null : merge(object || {}, versions[i].change);
    return object;
  };
  const at = (name, time) => d3.bisector(v => v.at).right(histories.get(name), time) - 1;
  const yaml = object => object === null ? '' : jsyaml.dump(object, {lineWidth: 140, noRefs: true});

  const rank = name => {
    const base = name.replace(/^[a-z]\//, '');
    if (name === 'story') return 0;
    if (name === 'world' || name === 'fault' || name === 'invariant') return 1;
    if (base === 'kubernetes' || base.startsWith('kube-apiserver')) return 2;
    if (base.startsWith('kip')) return 3;
    if (base.startsWith('cell/')) return 6;
    if (SERVICES.includes(base)) return 5;
    return 4;
  };
  const ROW_OF = name => ['fault', 'invariant'].includes(name) ? 'world' : name;
  const actors = [...new Set(events.flatMap(e => e.to ? [ROW_OF(e.actor), e.to] : [ROW_OF(e.actor)]))]
    .sort((a, b) => rank(a) - rank(b) || d3.ascending(a.length, b.length) || d3.ascending(a, b));
  const rowOf = new Map(actors.map((a, i) => [a, i]));
  const span = Math.max(1, data.took, events.length ? events[events.length - 1].at : 0);

  const clock = t => {
    const s = t / 1e6, m = Math.floor(s / 60), h = Math.floor(m / 60);
    return (h ? h + 'h ' : '') + String(m % 60).padStart(2, '0') + 'm ' + (s % 60).toFixed(3).padStart(6, '0') + 's';
  };

  // State of the page.
  let now = 0, current = -1, view = [0, span], query = '', selected = null, showDiff = true, hover = null;
  const on = {story: true, world: true, fault: true, invariant: true, change: true, write: true, read: false};
  let shown = [], hits = new Set();

  const filters = [['story', 'story'], ['world', 'world'], ['fault', 'faults'], ['change', 'changes'], ['write', 'writes'], ['read', 'reads']];
  filters.forEach(([kind, label]) => {
    const chip = document.createElement('button');
    chip.className = 'chip';
    chip.dataset.kind = kind;
    chip.textContent = label + ' ' + d3.format(',')(d3.sum(events, e => e.kind === kind));
    chip.setAttribute('aria-pressed', on[kind]);
    chip.onclick = () => { on[kind] = !on[kind]; chip.setAttribute('aria-pressed', on[kind]); refilter(); };
    $('filters').append(chip);
  });

  function refilter() {
    shown = events.filter(e => on[e.kind] || (e.fate && on.fault));
    hits = new Set();
    if (query) {
      const wanted = query.toLowerCase();
      shown.forEach(e => { if ((e.actor + ' ' + e.text).toLowerCase().includes(wanted)) hits.add(e.index); });
    }
    $('hits').textContent = query ? d3.format(',')(hits.size) + (hits.size === 1 ? ' hit' : ' hits') : '';
    $('rows').style.height = shown.length * LIST_ROW + 'px';
    go(now, true);
    drawOverview();
  }

  // Colours come from the style sheet, so that both themes are one drawing.
  let colours = {};
  const themed = () => {
    const style = getComputedStyle(document.documentElement);
    for (const name of ['card', 'ink', 'dim', 'faint', 'line', 'row', 'accent', 'bad', 'good', 'fault', 'hit', 'c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7'])
      colours[name] = style.getPropertyValue('--' + name).trim();
  };
  const colourOf = e => e.fate || e.kind === 'fault' ? colours.fault : e.kind === 'invariant' ? colours.bad
    : colours['c' + ({story: 5, world: 7, change: 1, write: 0, read: 6}[e.kind])];
  const actorColour = name => colours['c' + ({0: 5, 1: 7, 2: 1, 3: 0, 4: 2, 5: 3, 6: 4}[rank(name)])];

  const chart = $('chart'), overview = $('overview');
  let width = 0, rowHeight = 20, x = d3.scaleLinear();
  const y = name => AXIS + (rowOf.get(ROW_OF(name)) + .5) * rowHeight;
  const bisect = d3.bisector(e => e.at);

  function prepare(canvas, w, h) {
    const ratio = window.devicePixelRatio || 1;
    canvas.width = w * ratio; canvas.height = h * ratio;
    canvas.style.width = w + 'px'; canvas.style.height = h + 'px';
    const pen = canvas.getContext('2d');
    pen.scale(ratio, ratio);
    return pen;
  }

  let pen = null, overPen = null, height = 0;
  function layout() {
    themed();
    width = $('timeline').clientWidth;
    const room = Math.max(140, window.innerHeight * .42);
    rowHeight = Math.max(ROW_LEAST, Math.min(ROW_MOST, (room - AXIS - 6) / actors.length));
    height = AXIS + rowHeight * actors.length + 6;
    $('timeline').style.maxHeight = room + 'px';
    $('timeline').style.overflowY = height > room + 2 ? 'auto' : 'hidden';
    pen = prepare(chart, width, height);
    overPen = prepare(overview, overview.parentElement.clientWidth - 214, 34);
    x = d3.scaleLinear().range([LABEL, width - 12]);
    draw(); drawOverview(); drawList();
  }

  let asked = false;
  const draw = () => { if (!asked) { asked = true; requestAnimationFrame(() => { asked = false; paint(); }); } };

  function paint() {
    x.domain(view);
    pen.fillStyle = colours.card; pen.fillRect(0, 0, width, height);
    pen.font = '11px system-ui, "DejaVu Sans", sans-serif'; pen.textBaseline = 'middle';
    actors.forEach((name, i) => {
      if (i % 2 === 0) { pen.fillStyle = colours.row; pen.fillRect(0, AXIS + i * rowHeight, width, rowHeight); }
    });
    pen.strokeStyle = colours.line; pen.fillStyle = colours.dim; pen.textAlign = 'center'; pen.lineWidth = 1;
    x.ticks(Math.max(3, Math.floor((width - LABEL) / 130))).forEach(t => {
      const px = Math.round(x(t)) + .5;
      pen.beginPath(); pen.moveTo(px, AXIS); pen.lineTo(px, height); pen.stroke();
      pen.fillText(clock(t).replace(/\.000s$/, 's'), Math.min(px, width - 44), AXIS / 2);
    });
    pen.save(); pen.beginPath(); pen.rect(LABEL - 4, 0, width - LABEL + 4, height); pen.clip();
    const from = bisect.left(shown, view[0]), to = bisect.right(shown, view[1]);
    const messages = [];
    for (let i = bisect.left(shown, view[0] - (view[1] - view[0]) * .02); i < to && messages.length <= ARROWS; i++) if (shown[i].to) messages.push(shown[i]);
    const arrows = messages.length <= ARROWS;
    if (arrows) messages.forEach(e => arrow(e, query && !hits.has(e.index) ? .12 : .55));
    // One mark for each pixel of a row and colour, however many there are.
    const taken = new Set();
    for (let i = from; i < to; i++) {
      const e = shown[i], px = Math.round(x(e.at)), important = e.fate || e.kind === 'fault' || e.kind === 'invariant';
      const dim = query && !hits.has(e.index);
      const slot = (rowOf.get(ROW_OF(e.actor)) * 8 + (important ? 1 : 0) + (dim ? 2 : 0)) * 65536 + px;
      if (taken.has(slot)) continue;
      taken.add(slot);
      pen.globalAlpha = dim ? .15 : 1;
      mark(e, px, important);
    }
    pen.globalAlpha = 1;
    if (current >= 0 && events[current].to) arrow(events[current], 1, 2);
    if (hover && hover.to) arrow(hover, 1, 2);
    pen.restore();
    pen.textAlign = 'left'; pen.font = '600 11px system-ui, "DejaVu Sans", sans-serif';
    actors.forEach((name, i) => {
      pen.fillStyle = i % 2 === 0 ? colours.row : colours.card;
      pen.fillRect(0, AXIS + i * rowHeight, LABEL - 5, rowHeight);
      pen.fillStyle = actorColour(name);
      pen.fillRect(8, y(name) - 4, 4, 8);
      pen.fillStyle = colours.ink;
      pen.fillText(shortened(name === 'world' ? 'world, faults' : name, LABEL - 26), 18, y(name));
    });
    const px = x(now);
    if (px >= LABEL - 1) {
      pen.strokeStyle = colours.accent; pen.lineWidth = 1.5;
      pen.beginPath(); pen.moveTo(px, AXIS - 6); pen.lineTo(px, height); pen.stroke();
      pen.fillStyle = colours.accent;
      pen.beginPath(); pen.moveTo(px - 5, AXIS - 8); pen.lineTo(px + 5, AXIS - 8); pen.lineTo(px, AXIS - 1); pen.fill();
    }
  }

  const shortenedCache = new Map();
  function shortened(text, room) {
    if (shortenedCache.has(text)) return shortenedCache.get(text);
    let short = text;
    while (pen.measureText(short).width > room) short = short.slice(0, -2) + '\u2026';
    shortenedCache.set(text, short);
    return short;
  }

  function mark(e, px, important) {
    const py = y(e.actor);
    pen.fillStyle = pen.strokeStyle = colourOf(e);
    if (e.kind === 'invariant') {
      pen.lineWidth = 1.5; pen.setLineDash([4, 3]);
      pen.beginPath(); pen.moveTo(px, AXIS); pen.lineTo(px, height); pen.stroke(); pen.setLineDash([]);
      pen.beginPath(); pen.arc(px, py, 6, 0, 7); pen.fill();
      pen.fillStyle = colours.card; pen.textAlign = 'center'; pen.font = '700 10px sans-serif'; pen.fillText('!', px, py + .5);
    } else if (important) {
      pen.beginPath(); pen.moveTo(px - 5, py - 5); pen.lineTo(px + 5, py - 5); pen.lineTo(px, py + 5); pen.fill();
    } else if (e.kind === 'story') {
      pen.fillRect(px - 1, py - rowHeight / 2 + 2, 2, rowHeight - 4);
    } else if (e.kind === 'change' || e.kind === 'world') {
      pen.fillRect(px - 1.5, py - 4, 3, 8);
    } else {
      pen.beginPath(); pen.arc(px, py, e.kind === 'read' ? 1.6 : 2.4, 0, 7); pen.fill();
    }
  }

  /** From the sender when it is sent to the receiver when it arrives; one that never arrives ends half way. */
  function arrow(e, alpha, thick) {
    const x0 = x(e.at), y0 = y(e.actor), lost = e.arrived < 0;
    const x1 = x(lost ? e.at : e.arrived), y1 = lost ? (y0 + y(e.to)) / 2 : y(e.to);
    pen.globalAlpha = alpha; pen.strokeStyle = pen.fillStyle = colourOf(e); pen.lineWidth = thick || 1;
    pen.beginPath(); pen.moveTo(x0, y0); pen.lineTo(x1, y1); pen.stroke();
    const angle = Math.atan2(y1 - y0, x1 - x0);
    if (lost) {
      pen.beginPath(); pen.moveTo(x1 - 4, y1 - 4); pen.lineTo(x1 + 4, y1 + 4); pen.moveTo(x1 + 4, y1 - 4); pen.lineTo(x1 - 4, y1 + 4); pen.stroke();
    } else {
      pen.beginPath(); pen.moveTo(x1, y1);
      pen.lineTo(x1 - 7 * Math.cos(angle - .35), y1 - 7 * Math.sin(angle - .35));
      pen.lineTo(x1 - 7 * Math.cos(angle + .35), y1 - 7 * Math.sin(angle + .35)); pen.fill();
    }
    if (thick && e.answered >= 0) { // and the way back
      pen.setLineDash([3, 3]); pen.beginPath(); pen.moveTo(x1, y1); pen.lineTo(x(e.answered), y0); pen.stroke(); pen.setLineDash([]);
    }
    pen.globalAlpha = 1;
  }

  function drawOverview() {
    if (!overPen) return;
    const w = overview.clientWidth, h = 34, scale = d3.scaleLinear([0, span], [4, w - 4]);
    overPen.fillStyle = colours.card; overPen.fillRect(0, 0, w, h);
    const bins = new Uint32Array(Math.max(1, w));
    shown.forEach(e => { bins[Math.floor(scale(e.at))]++; });
    const most = Math.log1p(d3.max(bins) || 1);
    overPen.fillStyle = colours.faint;
    bins.forEach((n, px) => { if (n) { const tall = (h - 8) * Math.log1p(n) / most; overPen.fillRect(px, h - 3 - tall, 1, tall); } });
    events.forEach(e => {
      if (e.kind === 'fault' || e.kind === 'invariant') { overPen.fillStyle = colourOf(e); overPen.fillRect(scale(e.at) - 1, 2, 2, h - 4); }
    });
    overPen.fillStyle = colours.accent; overPen.globalAlpha = .13;
    overPen.fillRect(scale(view[0]), 0, Math.max(2, scale(view[1]) - scale(view[0])), h);
    overPen.globalAlpha = 1; overPen.fillRect(scale(now) - 1, 0, 2, h);
  }

  // The list holds as many rows as can be seen, whatever its length.
  let listAsked = false;
  const drawList = () => { if (!listAsked) { listAsked = true; requestAnimationFrame(() => { listAsked = false; paintList(); }); } };
  function paintList() {
    const log = $('log'), first = Math.max(0, Math.floor(log.scrollTop / LIST_ROW) - 4);
    const rows = shown.slice(first, first + Math.ceil(log.clientHeight / LIST_ROW) + 8).map((e, i) => {
      const row = document.createElement('div');
      row.className = 'event ' + (e.fate ? 'fault' : e.kind) + (e.index === current ? ' now' : '') + (e.at > now ? ' later' : '') + (hits.has(e.index) ? ' hit' : '');
      row.style.top = (first + i) * LIST_ROW + 'px';
      row.dataset.index = e.index;
      for (const [name, text] of [['at', clock(e.at)], ['who', e.actor], ['text', e.text]]) {
        const cell = document.createElement('span');
        cell.className = name; cell.textContent = text;
        if (name === 'who') cell.style.color = actorColour(e.actor);
        row.append(cell);
      }
      row.title = e.text;
      return row;
    });
    $('rows').replaceChildren(...rows);
  }

  /** To a moment: the last event that is shown at or before it is the current one. */
  function go(time, keepView) {
    now = Math.max(0, Math.min(span, time));
    const index = bisect.right(shown, now) - 1;
    current = index >= 0 ? shown[index].index : -1;
    arrive(index, keepView);
  }
  function goTo(event) {
    now = event.at; current = event.index;
    arrive(shown.indexOf(event));
  }
  function arrive(index, keepView) {
    if (!keepView && (now < view[0] || now > view[1])) { const half = (view[1] - view[0]) / 2; pan(now - half); }
    $('clock').textContent = clock(now);
    overview.setAttribute('aria-valuetext', clock(now));
    const log = $('log'), top = Math.max(0, index) * LIST_ROW;
    if (top < log.scrollTop + LIST_ROW || top > log.scrollTop + log.clientHeight - 2 * LIST_ROW) log.scrollTop = top - log.clientHeight / 2;
    draw(); drawOverview(); drawList(); drawObjects();
  }
  function pan(start) {
    const length = view[1] - view[0];
    const from = Math.max(-span * .01, Math.min(span * 1.01 - length, start));
    view = [from, from + length];
  }
  function zoom(factor, centre) {
    const length = Math.max(200, Math.min(span * 1.02, (view[1] - view[0]) * factor));
    const share = (centre - view[0]) / (view[1] - view[0]);
    view = [0, length];
    pan(centre - length * share);
    draw(); drawOverview();
  }
  const fit = () => { view = [-span * .01, span * 1.01]; draw(); drawOverview(); };
  function step(by) {
    const index = shown.findIndex(e => e.index === current);
    const next = shown[Math.max(0, Math.min(shown.length - 1, index + by))];
    if (next) goTo(next);
  }
  function next(wanted) {
    const after = events.slice(current + 1).find(wanted) || events.find(wanted);
    if (after) goTo(after);
  }

  // Objects at this moment.
  const parts = name => { const [cluster, kind, namespace, ...rest] = name.split('/'); return {cluster, kind, namespace, name: rest.join('/')}; };
  let objectsAsked = false;
  const drawObjects = () => { if (!objectsAsked) { objectsAsked = true; requestAnimationFrame(() => { objectsAsked = false; paintObjects(); }); } };
  function paintObjects() {
    const wanted = $('narrow').value.toLowerCase(), groups = new Map();
    for (const [name, versions] of histories) {
      const index = at(name, now);
      if (index < 0 || (wanted && !name.toLowerCase().includes(wanted))) continue;
      const {cluster, kind} = parts(name), group = (cluster === 'a' || cluster === 'ec2' ? '' : cluster + ': ') + kind;
      const gone = versions[index].event === 'DELETED';
      if (gone && name !== selected && now - versions[index].at > 1e6) continue;
      if (!groups.has(group)) groups.set(group, []);
      groups.get(group).push({name, gone, fresh: now - versions[index].at < 1000, at: versions[index].at});
    }
    const nodes = [];
    [...groups.keys()].sort().forEach(group => {
      const head = document.createElement('div');
      head.className = 'kind'; head.textContent = group + ' ' + groups.get(group).length;
      nodes.push(head);
      groups.get(group).sort((a, b) => d3.ascending(a.name, b.name)).slice(0, 400).forEach(o => {
        const node = document.createElement('div');
        node.className = 'object' + (o.gone ? ' gone' : '') + (o.fresh ? ' fresh' : '');
        node.setAttribute('role', 'option');
        node.setAttribute('aria-selected', o.name === selected);
        node.dataset.name = o.name;
        const {namespace, name} = parts(o.name);
        node.textContent = (namespace && namespace !== 'default' ? namespace + '/' : '') + name;
        node.title = o.name + ', changed at ' + clock(o.at);
        nodes.push(node);
      });
    });
    if (!nodes.length) { const none = document.createElement('div'); none.className = 'note'; none.textContent = histories.size ? 'No object at this moment.' : 'This world keeps no objects for the report.'; nodes.push(none); }
    $('objects').replaceChildren(...nodes);
    paintDetail();
  }

  function lines(before, after, context) {
    const out = document.createDocumentFragment();
    const add = (name, text) => { const line = document.createElement('span'); line.className = name; line.textContent = text; out.append(line); };
    const changes = Diff.diffLines(before, after);
    changes.forEach((part, i) => {
      const text = part.value.replace(/\n$/, '').split('\n');
      if (part.added || part.removed) { text.forEach(t => add(part.added ? 'add' : 'cut', (part.added ? '+ ' : '- ') + t)); return; }
      const keep = context === undefined ? text.length : context;
      if (text.length <= keep * 2 + 1 || context === undefined) { text.forEach(t => add('same', '  ' + t)); return; }
      if (i > 0) text.slice(0, keep).forEach(t => add('same', '  ' + t));
      add('skip', '  \u22ef ' + (text.length - keep * (i > 0 && i < changes.length - 1 ? 2 : 1)) + ' lines as they were');
      if (i < changes.length - 1) text.slice(-keep).forEach(t => add('same', '  ' + t));
    });
    return out;
  }

  function paintDetail() {
    const head = $('detail-head');
    head.replaceChildren();
    if (!selected || !histories.has(selected)) {
      head.textContent = 'Choose an object: its YAML at this moment, and what changed last.';
      $('yaml').replaceChildren();
      return;
    }
    const versions = histories.get(selected), index = at(selected, now);
    const title = document.createElement('b');
    title.textContent = parts(selected).kind + ' ' + parts(selected).name;
    head.append(title);
    if (index < 0) { head.append(' is not there yet; it comes at ' + clock(versions[0].at)); $('yaml').replaceChildren(); return; }
    head.append(' version ' + (index + 1) + ' of ' + versions.length + ', ' + clock(versions[index].at) + (versions[index].event === 'DELETED' ? ', deleted' : ''));
    const button = (label, title, action, off) => { const b = document.createElement('button'); b.textContent = label; b.title = title; b.disabled = off; b.onclick = action; head.append(b); };
    button('\u25c0', 'To its version before', () => go(versions[index - 1].at), index === 0);
    button('\u25b6', 'To its next version', () => go(versions[index + 1].at), index === versions.length - 1);
    button(showDiff ? 'YAML' : 'Diff', 'The whole object, or what changed', () => { showDiff = !showDiff; paintDetail(); }, false);
    const after = yaml(whole(selected, index)), before = index > 0 ? yaml(whole(selected, index - 1)) : '';
    $('yaml').replaceChildren(showDiff && index > 0 ? lines(before, after) : document.createTextNode(after));
  }

  // What was violated: what the problem says, and what changed of the objects that it speaks of, or last of all.
  const violations = events.filter(e => e.kind === 'invariant');
  function paintViolation() {
    const pane = $('pane-violation');
    pane.replaceChildren();
    const say = (tag, text) => { const node = document.createElement(tag); node.textContent = text; pane.append(node); return node; };
    if (!data.problems.length) { say('p', 'Nothing: the story ended well.').className = 'note'; return; }
    data.problems.forEach((problem, i) => {
      say('h3', problem.id);
      say('p', problem.text);
      const seen = violations.find(e => e.text.includes(problem.text)), time = seen ? seen.at : data.took;
      const jump = say('button', 'To ' + clock(time) + '  (v)');
      jump.onclick = () => seen ? goTo(seen) : go(time);
      if (i > 0) return;
      const named = [...new Set(problem.text.match(/[\w.-]*\d[\w.-]*/g) || [])].filter(w => w.length > 3);
      const last = [];
      for (const [name, versions] of histories) {
        const index = at(name, time);
        if (index < 0) continue;
        const meant = named.some(w => name.includes(w)) ? 2 : named.some(w => w.length > 8 && JSON.stringify(whole(name, index)).includes(w)) ? 1 : 0;
        last.push({name, index, at: versions[index].at, meant});
      }
      last.sort((a, b) => b.meant - a.meant || b.at - a.at);
      say('h4', 'State before and after, by what the problem names and what changed last');
      last.slice(0, 8).forEach(({name, index, at: when, meant}) => {
        const link = say('h4', (meant ? '\u25cf ' : '') + parts(name).kind + ' ' + parts(name).name + '  ' + clock(when));
        link.style.cursor = 'pointer';
        link.onclick = () => { selected = name; tab('objects'); go(when); };
        const box = document.createElement('pre');
        box.className = 'diff';
        box.append(lines(index > 0 ? yaml(whole(name, index - 1)) : '', yaml(whole(name, index)), 3));
        pane.append(box);
      });
    });
  }

  function tab(name) {
    for (const one of ['objects', 'violation', 'story']) {
      $('tab-' + one).setAttribute('aria-selected', one === name);
      $('pane-' + one).hidden = one !== name;
    }
    if (name === 'violation') paintViolation();
  }
  for (const one of ['objects', 'violation', 'story']) $('tab-' + one).onclick = () => tab(one);

  // Hands.
  const near = (px, py) => {
    let best = null, least = 10;
    const reach = (view[1] - view[0]) * 8 / Math.max(1, width - LABEL);
    const centre = x.invert(px);
    for (let i = bisect.left(shown, centre - reach); i < shown.length && shown[i].at <= centre + reach; i++) {
      const distance = Math.abs(x(shown[i].at) - px) + Math.abs(y(shown[i].actor) - py) * .7;
      if (distance < least) { least = distance; best = shown[i]; }
    }
    return best;
  };
  const timeline = $('timeline');
  let drag = null;
  const place = ev => { const box = chart.getBoundingClientRect(); return [ev.clientX - box.left, ev.clientY - box.top]; };
  timeline.addEventListener('pointerdown', ev => { const [px] = place(ev); drag = {px, start: view[0], moved: false}; timeline.setPointerCapture(ev.pointerId); });
  timeline.addEventListener('pointermove', ev => {
    const [px, py] = place(ev);
    if (drag) {
      if (Math.abs(px - drag.px) > 3) drag.moved = true;
      if (drag.moved) { pan(drag.start - (px - drag.px) * (view[1] - view[0]) / (width - LABEL)); draw(); drawOverview(); }
      return;
    }
    hover = near(px, py);
    const tip = $('tip');
    tip.hidden = !hover;
    if (hover) {
      tip.textContent = clock(hover.at) + '  ' + hover.actor + '\n' + hover.text;
      tip.style.left = Math.min(px + 12, width - 470 > 0 ? Math.max(px - 474, Math.min(px + 12, width - 470)) : 4) + 'px';
      tip.style.top = Math.max(2, py + 16 > height - 40 ? py - 46 : py + 16) + 'px';
    }
    draw();
  });
  timeline.addEventListener('pointerup', ev => {
    const [px, py] = place(ev), moved = drag && drag.moved;
    drag = null;
    if (moved || px < LABEL - 4) return;
    const event = near(px, py);
    if (event) goTo(event); else go(x.invert(px));
  });
  timeline.addEventListener('pointerleave', () => { hover = null; $('tip').hidden = true; draw(); });
  timeline.addEventListener('wheel', ev => {
    if (ev.shiftKey || Math.abs(ev.deltaX) > Math.abs(ev.deltaY)) { pan(view[0] + (ev.deltaX || ev.deltaY) * (view[1] - view[0]) / 900); draw(); drawOverview(); }
    else zoom(Math.exp(ev.deltaY * .0016), x.invert(place(ev)[0]));
    ev.preventDefault();
  }, {passive: false});
  const scrubTo = ev => { const box = overview.getBoundingClientRect(); go((ev.clientX - box.left - 4) / (box.width - 8) * span); };
  overview.addEventListener('pointerdown', ev => { overview.setPointerCapture(ev.pointerId); scrubTo(ev); overview.onpointermove = scrubTo; });
  overview.addEventListener('pointerup', () => { overview.onpointermove = null; });
  $('log').addEventListener('scroll', drawList);
  $('log').addEventListener('click', ev => { const row = ev.target.closest('.event'); if (row) goTo(events[+row.dataset.index]); });
  $('objects').addEventListener('click', ev => { const node = ev.target.closest('.object'); if (node) { selected = node.dataset.name; paintObjects(); } });
  $('narrow').addEventListener('input', drawObjects);
  $('search').addEventListener('input', () => { query = $('search').value.trim(); refilter(); });
  $('search').addEventListener('keydown', ev => {
    if (ev.key === 'Enter') next(e => hits.has(e.index));
    if (ev.key === 'Escape') { $('search').value = query = ''; $('search').blur(); refilter(); }
    ev.stopPropagation();
  });
  $('narrow').addEventListener('keydown', ev => ev.stopPropagation());
  const dark = () => document.documentElement.dataset.theme === 'dark';
  const theme = name => { document.documentElement.dataset.theme = name; layout(); };
  const keys = {
    ArrowLeft: ev => step(ev.shiftKey ? -20 : -1), ArrowRight: ev => step(ev.shiftKey ? 20 : 1),
    Home: () => go(0), End: () => go(span), v: () => violations.length ? goTo(violations[0]) : go(span),
    f: () => next(e => e.kind === 'fault'), '/': () => $('search').focus(), '+': () => zoom(.6, now), '=': () => zoom(.6, now),
    '-': () => zoom(1.6, now), 0: fit, t: () => theme(dark() ? 'light' : 'dark'), '?': () => $('keys').showModal(),
  };
  document.addEventListener('keydown', ev => {
    if (ev.ctrlKey || ev.metaKey || ev.altKey || $('keys').open) return;
    const key = keys[ev.key];
    if (key) { key(ev); ev.preventDefault(); }
  });
  $('fit').onclick = fit; $('zoom-in').onclick = () => zoom(.6, now); $('zoom-out').onclick = () => zoom(1.6, now);
  $('theme').onclick = keys.t; $('help').onclick = keys['?']; $('back').onclick = () => step(-1); $('forth').onclick = () => step(1);
  window.addEventListener('resize', layout);

  // For tests: all that is drawn, at once.
  window.kipReport = {frame() { paint(); drawOverview(); paintList(); paintObjects(); }, events: events.length, go, span};

  $('verdict').textContent = data.passed ? 'PASSED' : 'FAILED';
  $('verdict').className = data.passed ? 'passed' : 'failed';
  $('title').textContent = data.name + ': ' + data.title;
  $('facts').textContent = 'seed ' + data.seed + (data.plant ? ', planted bug ' + data.plant : '') + '  \u00b7  ' + clock(data.took) + ' of virtual time  \u00b7  '
    + d3.format(',')(data.events) + ' events  \u00b7  hash ' + data.hash;
  $('pane-story').textContent = data.story;
  $('tab-story').hidden = !data.story;
  document.documentElement.dataset.theme = window.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  layout(); fit(); refilter();
  if (data.passed) go(0, true);
  else { go(span, true); if (violations.length) goTo(violations[0]); tab('violation'); }
})();
