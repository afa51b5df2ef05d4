// A character of examples/game-npc.ts in a game engine, in plain C# 8 (.NET Core 3.1 or later, and Unity 2022 with System.Text.Json).
// Words come while they are written; then one action that fits the schema at GET /schema. The server answers within its budget:
// where the model is late, the rules in the character's document answer, and "by" says so.

using System;
using System.IO;
using System.Net.WebSockets;
using System.Text;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;

public enum Gesture { None, Nod, Shrug, TurnAway }

// A class and no record: records need a type that Unity 2022 does not bring.
public sealed class NpcAction
{
    public NpcAction(string say, Gesture gesture, string by, int ms) => (Say, Gesture, By, Ms) = (say, gesture, by, ms);

    public string Say { get; }
    public Gesture Gesture { get; }
    public string By { get; }
    public int Ms { get; }
}

public sealed class NpcClient : IAsyncDisposable
{
    private readonly ClientWebSocket socket = new ClientWebSocket();
    private readonly byte[] buffer = new byte[64 * 1024];

    public Task ConnectAsync(Uri address, CancellationToken cancel) => socket.ConnectAsync(address, cancel);

    /// <summary>Says something, calls onText with each piece of the answer, and returns the action to play.</summary>
    public async Task<NpcAction> SayAsync(string text, Action<string> onText, CancellationToken cancel)
    {
        var message = JsonSerializer.SerializeToUtf8Bytes(new { type = "say", text });
        await socket.SendAsync(message, WebSocketMessageType.Text, true, cancel);
        while (true)
        {
            using var json = JsonDocument.Parse(await ReceiveAsync(cancel));
            var root = json.RootElement;
            switch (root.GetProperty("type").GetString())
            {
                case "text":
                    onText(root.GetProperty("delta").GetString() ?? "");
                    break;
                case "action":
                    var action = root.GetProperty("action");
                    return new NpcAction(
                        action.GetProperty("say").GetString() ?? "",
                        GestureOf(action.GetProperty("gesture").GetString()),
                        root.GetProperty("by").GetString() ?? "",
                        root.GetProperty("ms").GetInt32());
                default:
                    throw new IOException(root.TryGetProperty("error", out var error) ? error.GetString() : "The character sent something unknown.");
            }
        }
    }

    private static Gesture GestureOf(string? name) => name switch
    {
        "nod" => Gesture.Nod,
        "shrug" => Gesture.Shrug,
        "turn-away" => Gesture.TurnAway,
        _ => Gesture.None,
    };

    private async Task<ReadOnlyMemory<byte>> ReceiveAsync(CancellationToken cancel)
    {
        using var whole = new MemoryStream();
        WebSocketReceiveResult part;
        do
        {
            part = await socket.ReceiveAsync(new ArraySegment<byte>(buffer), cancel);
            if (part.MessageType == WebSocketMessageType.Close) throw new IOException("The character has left.");
            whole.Write(buffer, 0, part.Count);
        } while (!part.EndOfMessage);
        return whole.ToArray();
    }

    public async ValueTask DisposeAsync()
    {
        if (socket.State == WebSocketState.Open)
            await socket.CloseAsync(WebSocketCloseStatus.NormalClosure, "", CancellationToken.None);
        socket.Dispose();
    }
}
