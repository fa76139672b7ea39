// Dots and lines set pixel by pixel. Without a GPU this is what keeps up with a moving hand: see docs/decisions.
"use strict";

// A colour as the buffer holds it: 0xffBBGGRR.
function packed(css) {
  const n = parseInt(css.slice(1, 7), 16);
  return (0xff000000 | ((n & 255) << 16) | (n & 0xff00) | (n >> 16)) >>> 0;
}

// Coverage of a disc's pixels around its centre, 0 to 255.
function disc(radius) {
  const far = Math.ceil(radius + 0.5), dx = [], dy = [], cover = [];
  for (let y = -far; y <= far; y++) {
    for (let x = -far; x <= far; x++) {
      const share = Math.min(1, Math.max(0, radius + 0.5 - Math.hypot(x, y)));
      if (share > 0) { dx.push(x); dy.push(y); cover.push(Math.round(share * 255)); }
    }
  }
  return { far, dx: Int16Array.from(dx), dy: Int16Array.from(dy), cover: Uint8Array.from(cover), offsets: null, width: 0 };
}

class Pixels {
  constructor(canvas) {
    this.canvas = canvas;
    this.to = canvas.getContext("2d", { alpha: false });
    this.discs = new Map();
  }

  // Start a picture of width by height pixels on a ground of one colour.
  begin(width, height, ground) {
    if (this.width !== width || this.height !== height) {
      this.canvas.width = this.width = width;
      this.canvas.height = this.height = height;
      this.image = new ImageData(width, height);
      this.px = new Uint32Array(this.image.data.buffer);
    }
    this.px.fill(ground);
  }

  end() { this.to.putImageData(this.image, 0, 0); }

  // A disc of half-pixel steps in size; share: 0 to 256 of its colour over what is there.
  dot(x, y, radius, color, share) {
    const key = Math.max(1, Math.round(radius * 2));
    let mask = this.discs.get(key);
    if (!mask) this.discs.set(key, mask = disc(key / 2));
    const { width, height, px } = this;
    x = Math.round(x); y = Math.round(y);
    const { far, dx, dy, cover } = mask, n = cover.length;
    if (x < -far || y < -far || x >= width + far || y >= height + far) return;
    if (x < far || y < far || x >= width - far || y >= height - far) {
      for (let i = 0; i < n; i++) {
        const u = x + dx[i], v = y + dy[i];
        if (u >= 0 && v >= 0 && u < width && v < height) this.mix(v * width + u, color, (cover[i] * share) >> 8);
      }
      return;
    }
    if (mask.width !== width) {
      mask.offsets = Int32Array.from(dy, (v, i) => v * width + dx[i]);
      mask.width = width;
    }
    const offsets = mask.offsets, at = y * width + x;
    for (let i = 0; i < n; i++) {
      if (share === 256 && cover[i] === 255) px[at + offsets[i]] = color;
      else this.mix(at + offsets[i], color, (cover[i] * share) >> 8);
    }
  }

  // A line one pixel wide (X. Wu, 1991: each step shares its colour between two pixels), cut to the picture.
  line(x0, y0, x1, y1, color, share) {
    let from = 0, to = 1;
    const ex = x1 - x0, ey = y1 - y0, right = this.width - 2, low = this.height - 2;
    for (const [p, q] of [[-ex, x0 - 1], [ex, right - x0], [-ey, y0 - 1], [ey, low - y0]]) {
      if (p === 0) { if (q < 0) return; continue; }
      const t = q / p;
      if (p < 0) { if (t > from) from = t; } else if (t < to) to = t;
      if (from > to) return;
    }
    x1 = x0 + to * ex; y1 = y0 + to * ey; x0 += from * ex; y0 += from * ey;
    const steep = Math.abs(ey) > Math.abs(ex), { width } = this;
    const steps = Math.max(1, Math.round(steep ? Math.abs(y1 - y0) : Math.abs(x1 - x0)));
    const sx = (x1 - x0) / steps, sy = (y1 - y0) / steps, beside = steep ? 1 : width;
    for (let i = 0, x = x0, y = y0; i <= steps; i++, x += sx, y += sy) {
      const u = steep ? x | 0 : Math.round(x), v = steep ? Math.round(y) : y | 0;
      const over = ((steep ? x - u : y - v) * share) | 0, at = v * width + u;
      this.mix(at, color, share - over);
      this.mix(at + beside, color, over);
    }
  }

  mix(at, color, share) {
    const d = this.px[at], rest = 256 - share;
    const rb = (((d & 0xff00ff) * rest + (color & 0xff00ff) * share) / 256) & 0xff00ff;
    const g = (((d & 0x00ff00) * rest + (color & 0x00ff00) * share) / 256) & 0x00ff00;
    this.px[at] = (0xff000000 | rb | g) >>> 0;
  }
}
