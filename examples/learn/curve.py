"""The curve of a training as a picture."""

WIDTH, HEIGHT, LEFT, TOP = 640, 320, 56, 34
LINES = [("policy", "#1f6feb", "the policy"), ("best", "#2da44e", "the best quarter"), ("mean", "#8c959f", "all that were tried")]


def draw_curve(path, task, curve):
    values = [point[name] for point in curve for name, _, _ in LINES] + [0.0]
    low, high = max(min(values), -3 * max(max(values), 1)), max(values) or 1
    high += 0.05 * (high - low)
    across = lambda n: LEFT + (WIDTH - LEFT - 16) * (n - 1) / max(1, len(curve) - 1)
    up = lambda value: TOP + (HEIGHT - TOP - 40) * (high - max(value, low)) / (high - low)
    text = lambda x, y, words, more="": f'<text x="{x:.0f}" y="{y:.0f}" {more}>{words}</text>'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12" fill="#57606a">',
        f"<title>{task}: what the policy gains over doing nothing</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        text(LEFT, 18, f"{task}: return above that of doing nothing, by generation"),
        f'<line x1="{LEFT}" x2="{WIDTH - 16}" y1="{up(0):.1f}" y2="{up(0):.1f}" stroke="#d0d7de"/>',
        text(LEFT - 8, up(0) + 4, "0", 'text-anchor="end"'),
        text(LEFT - 8, TOP + 6, f"{high:.0f}", 'text-anchor="end"'),
        text(LEFT - 8, up(low) + 4, f"{low:.0f}", 'text-anchor="end"'),
        text(WIDTH - 16, HEIGHT - 22, f"generation {len(curve)}", 'text-anchor="end"'),
    ]
    for n, (name, colour, words) in enumerate(LINES):
        points = " ".join(f"{across(point['generation']):.1f},{up(point[name]):.1f}" for point in curve)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(text(LEFT + n * 160, HEIGHT - 6, words, f'style="fill:{colour}"'))
    with open(path, "w") as file:
        file.write("\n".join([*parts, "</svg>", ""]))
